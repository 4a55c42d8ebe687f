"""As `engine.words.checkpoints`."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    # ---- checkpoints of a run under way ----
    "run.no-new-checkpoint": Wording(
        "{update}. güncellemeden sonraki kontrol noktası yazılamadı ({reason}). Çalışma sürüyor; son kontrol noktası "
        "{last}. güncellemeninki.",
        "",
    ),
    "run.no-checkpoint": Wording(
        "{update}. güncellemeden sonraki kontrol noktası yazılamadı ({reason}). Çalışma kontrol noktası olmadan "
        "sürüyor.",
        "",
    ),
    "run.best-restored": Wording("Saklanan model en iyisidir: {update}. güncellemeden sonraki, {metric} {value}.", ""),
    "run.best-gone": Wording(
        "En iyi modelin, {update}. güncellemeden sonrakinin, bütün bir kontrol noktası yok: saklanan, sonuncusudur.", ""
    ),
    "run.finished-early": Wording(
        "{update}. güncellemeden sonra erken bitti: {metric} ölçüsü {patience} değerlendirmedir {best} değerinden daha "
        "iyi olmadı.",
        "",
    ),
    # ---- going on from one ----
    "run.resumed": Wording(
        "{update}. güncellemeden sonraki kontrol noktasından devam etti: {number}. geçiş, {row}. satır.", ""
    ),
    "run.resumed-processes": Wording(
        "{update}. güncellemeden sonra {processes} süreç var; öncesinde {before} süreç vardı. Etkili parti aynı.",
        "",
    ),
    "run.resumed-plan": Wording(
        "{update}. güncellemeden sonra plan {before_micro_batch} × {before_steps} yerine {micro_batch} × {steps}; "
        "geçişin hiçbir satırı iki kez gelmez, hiçbiri atlanmaz.",
        "",
    ),
    "run.resumed-schedule": Wording(
        "Toplam güncelleme sayısı {before} yerine {total}: öğrenme hızı buradan sonra {total} güncellemelik takvimi "
        "izler.",
        "",
    ),
    "run.resumed-elsewhere": Wording(
        "Kontrol noktasını {before} yazdı, burası {after}: sayılar son basamaklarında farklı olabilir.", ""
    ),
    "run.checkpoint-torn": Wording(
        "{update}. güncellemeden sonraki kontrol noktası bozuk ({file}); yerine {used}. güncellemeninki kullanıldı.",
        "",
    ),
    "resume.no-run": Wording(
        "Çalışma {run} bir eğitim değil: devam ettirilemez.", "Çalışmalar listesinden birini seçin."
    ),
    "resume.under-way": Wording("Çalışma {run} sürüyor ({state}).", "Önce durdurun ya da bitmesini bekleyin."),
    "resume.no-checkpoint": Wording(
        "Çalışma {run} için devam edilecek bütün bir kontrol noktası yok.",
        "Yeniden başlatın; training.save_strategy: steps, yol boyunca kontrol noktaları yazar.",
    ),
    "resume.no-such-checkpoint": Wording(
        "Çalışma {run} için {update}. güncellemeden sonra bütün bir kontrol noktası yok.", "Birini seçin: {known}."
    ),
    "resume.all-torn": Wording(
        "Çalışma {run} için hiçbir kontrol noktası sonuna kadar okunamıyor; sonuncusunun bozuk dosyası: {file}.",
        "Çalışmayı yeniden başlatın.",
    ),
    "resume.nothing-left": Wording(
        "Çalışma {run} tamam: {total} güncellemesinin hepsi yapıldı.",
        "Devam etmek için training.max_steps ya da num_train_epochs değerini yükseltin.",
    ),
    "resume.too-short": Wording(
        "“{field}” {total}, kontrol noktası ise {update}. güncellemeden sonraki.",
        "{update} sayısından büyük bir değer yazın ya da daha eski bir kontrol noktasından devam edin.",
    ),
    "resume.changed-weights": Wording(
        "“{field}” {before} idi, yolda {after} olamaz: kontrol noktasında öncekinin ağırlıkları var.",
        "Eski değerine döndürün ya da yeni bir çalışma başlatın.",
    ),
    "resume.changed-order": Wording(
        "“{field}” {before} idi, yolda {after} olamaz: satırlar başka olur ya da başka sırada gelirdi.",
        "Eski değerine döndürün ya da yeni bir çalışma başlatın.",
    ),
    "resume.changed": Wording(
        "“{field}” {before} idi, yolda {after} olamaz: kontrol noktasının eniyileyicisi ve takvimi ona bağlı.",
        "Eski değerine döndürün ya da yeni bir çalışma başlatın.",
    ),
    "resume.other-rows": Wording(
        "Satırlar, {update}. güncellemeden sonraki kontrol noktasının eğitildiği satırlar değil.",
        "Veriyi eski hâline getirin ya da yeni bir çalışma başlatın.",
    ),
    "resume.other-evaluation": Wording(
        "Değerlendirme satırları, {update}. güncellemeden sonraki kontrol noktasının değerlendirildiği satırlar değil.",
        "Veriyi eski hâline getirin ya da yeni bir çalışma başlatın.",
    ),
    "resume.other-weights": Wording(
        "Model, {update}. güncellemeden sonraki kontrol noktasının yazıldığı model değil.",
        "Model dosyalarını eski hâline getirin ya da yeni bir çalışma başlatın.",
    ),
    "resume.other-processes": Wording(
        "“{field}” şimdi {processes}, önce {before} idi: bir güncelleme {before_rows} yerine {rows} satır tutardı.",
        "training.gradient_accumulation_steps değerini öyle değiştirin ki mikro parti × adım × süreç yine "
        "{before_rows} olsun.",
    ),
    "resume.order-follows-plan": Wording(
        "Satırların sırası burada penceredeki {before} satıra bağlı; yolda bir pencerenin satır sayısı değişemez.",
        "mikro parti × adım çarpımını {before} olarak tutun ya da yeni bir çalışma başlatın.",
    ),
}
