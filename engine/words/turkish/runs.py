"""As `engine.words.runs`."""

from __future__ import annotations

from engine.words.wording import Wording

_HALVE = "Mikro partiyi yarıya indirip biriktirme adımını iki katına çıkarın: etkili parti aynı kalır."

WORDS: dict[str, Wording] = {
    # ---- a run ----
    "run.finished": Wording("Bütün güncellemeler yapıldı.", ""),
    "run.stopped": Wording("Durduruldu; ağırlıklar son güncellemeden sonrakilerdir.", ""),
    "run.no-rows": Wording("Veriden eğitilecek satır çıkmadı.", "Dosyayı ve metin sütununu denetleyin."),
    "run.no-targets": Wording(
        "Verinin bütün bir geçişinde tek bir hedef yoktu.",
        "Etiketleri denetleyin ve data.max_length değerini yükseltin.",
    ),
    "run.not-finite": Wording(
        "{update}. güncellemenin kaybı ya da gradyanı bir sayı değil.",
        "Öğrenme hızını düşürün, ısınma ekleyin ya da fp16 yerine fp32 veya bf16 ile eğitin.",
    ),
    "run.out-of-memory": Wording("Cihazın belleği yetmedi.", _HALVE),
    "run.out-of-memory.loading": Wording(
        "Model belleğe sığmıyor.", "Daha küçük bir model seçin ya da ayarlıysa memory_budget değerini yükseltin."
    ),
    "run.out-of-memory.forward": Wording(
        "{update}. güncellemede bellek yetmedi: {of} mikro partiden {micro_batch}. olanın ileri geçişinde.", _HALVE
    ),
    "run.out-of-memory.backward": Wording(
        "{update}. güncellemede bellek yetmedi: {of} mikro partiden {micro_batch}. olanın geri yayılımında.", _HALVE
    ),
    "run.out-of-memory.one-row": Wording(
        "",
        "Daha küçük mikro parti yok: training.activation_checkpointing değerini true yapın ya da data.max_length "
        "değerini düşürün.",
    ),
    "run.out-of-memory.update": Wording(
        "{update}. güncellemede bellek yetmedi: eniyileyicinin adımında.",
        "Orada daha küçük bir mikro parti işe yaramaz: lora ile eğitin ya da training.optim için daha azını tutan "
        "birini seçin.",
    ),
    "run.out-of-memory.evaluation": Wording(
        "{update}. güncellemeden sonraki değerlendirmede bellek yetmedi.",
        "training.per_device_eval_batch_size değerini düşürün.",
    ),
    "run.out-of-memory.saving": Wording(
        "Model kaydedilirken bellek yetmedi.", "Bellek boşaltın ya da ayarlıysa memory_budget değerini yükseltin."
    ),
    "run.out-of-memory.whole": Wording("{requested} istendi, olan {budget}.", ""),
    "run.out-of-memory.sums": Wording(
        "{requested} daha istendi; {budget} içinden {taken} doluydu, en çoğu {term} ({most}).", ""
    ),
    "run.half-updated": Wording(
        "{update}. güncellemenin ortasında bellek yetmedi; ağırlıklar ne öncekiler ne sonrakiler.",
        "Daha küçük bir planla son kontrol noktasından devam edin ya da yeniden başlatın; bu ağırlıklar saklanmaz.",
    ),
    "run.halved": Wording(
        "{before} satırlık mikro parti sığmadı ({update}. güncelleme, {phase}); {micro_batch} × {steps} ile sürüyor: "
        "güncelleme başına yine {rows} satır.",
        "",
    ),
    "run.halved-uneven": Wording(
        "{before} satırlık mikro parti sığmadı ({update}. güncelleme, {phase}); pencere başına {steps}, en çok "
        "{micro_batch} satırlık mikro partiyle sürüyor: güncelleme başına yine {rows} satır.",
        "",
    ),
    "run.halved-tokens": Wording(
        "{before} tokenlik mikro parti sığmadı ({update}. güncelleme, {phase}); {tokens} tokenle sürüyor: güncelleme "
        "başına yine {rows} satır.",
        "",
    ),
    "run.evaluation-halved": Wording(
        "{update}. güncellemeden sonraki değerlendirme sığmadı; {rows} satırlık partilerle sürüyor: sonuç aynı.", ""
    ),
    "run.file-missing": Wording("{path} dosyası artık yok.", "Yerine koyun ya da başkasını seçin ve yeniden başlatın."),
    "run.unexpected": Wording(
        "{kind}: {problem}", "Hatanın izi çalışmanın klasöründe, failure.txt içinde; başka bir ayarla yeniden başlatın."
    ),
    "command.unexpected": Wording("{kind}: {problem}, yeri {place}.", "Başka bir ayar deneyin."),
    "run.nothing-to-evaluate": Wording("Satır ayrılmadı; değerlendirme yapılmıyor.", ""),
    "data.needs-evaluation": Wording(
        "Satır ayrılmadı, “{field}” ise değerlendirmelere göre işler.", "data.eval_rows ayarlayın ya da bunu çıkarın."
    ),
    "data.too-few-rows": Wording(
        "Veri bir mikro partiyi doldurmuyor (satır: {rows}); kısa partiler de atılıyor.",
        "Mikro partiyi küçültün ya da training.dataloader_drop_last değerini false yapın.",
    ),
    "data.row-above-budget": Wording(
        "{longest} tokenlik bir satır, bir mikro partinin tutabileceğinden ({tokens}) fazla.",
        "micro_batch_tokens değerini en az {longest} yapın ya da data.max_length değerini {tokens} sayısına düşürün.",
    ),
    "model.no-packing": Wording(
        "{architecture} uç uca dizilen satırların ötesini okuyor: çıktıları %{percent} kayıyor.",
        "packing değerini false yapın; window_order: sorted da dolgunun çoğundan kurtarır.",
    ),
    "model.cannot-pack": Wording(
        "{architecture} uç uca dizilen satırları okuyamıyor: {reason}.",
        "packing değerini false yapın; window_order: sorted da dolgunun çoğundan kurtarır.",
    ),
    "model.padding-matters": Wording(
        "Dolgu, {architecture} hesabını değiştiriyor (%{percent}): bir pencerenin dağıtılış biçimi güncellemeyi "
        "değiştirir.",
        "Satırların geldiği gibi kalması için window_order değerini random yapın.",
    ),
    "model.padding-counts": Wording(
        "{architecture} dolguyu da okuyor (%{percent}): bir pencerenin güncellemesi satırların nasıl doldurulduğuna "
        "bağlıdır ve tek büyük partininkiyle tıpatıp aynı değildir.",
        "",
    ),
    "model.reads-ahead": Wording(
        "{architecture}, tahmin edeceği tokenden sonrakileri okuyor: kaybı burada bir şey söylemez.",
        "Nedensel bir model ya da fill-mask görevini seçin.",
    ),
    "model.no-forward": Wording(
        "{architecture} metin satırlarında ileri geçiş yapamıyor: {reason}.", "Başka bir model ya da görev seçin."
    ),
    "data.nothing-encoded": Wording(
        "Kodlandıktan sonra hiçbir satırda hedef yok ({tokenizer}).",
        "Önizlemede satırlara bakın: tokenizer sözcüklerini tanımıyor ya da etiketler eksik olabilir.",
    ),
    "run.mean-of-means-trainer": Wording(
        "Trainer loss_is_scaled_for_ga = False diyor; her mikro partinin kaybı mikro parti sayısına bölünür: az "
        "hedefli mikro partilere fazla ağırlık veren bir ortalamaların ortalaması.",
        "",
    ),
    "run.mean-of-means": Wording(
        "Özel kayıp num_items_in_batch almıyor; her mikro partinin ortalaması mikro parti sayısına bölünür: az hedefli "
        "mikro partilere fazla ağırlık veren bir ortalamaların ortalaması.",
        "Üçüncü bir argüman, num_items_in_batch, verin ve kayıpların toplamını ona bölün.",
    ),
    "training.needs-package": Wording(
        "“{field}” için {package} paketi gerekir; kurulu değil.", "Kurun ya da ayarı çıkarın."
    ),
    "training.needs-compiler": Wording(
        "“{field}” için bir C++ derleyicisi gerekir; burada yok.", "g++ ya da clang++ kurun veya ayarı çıkarın."
    ),
    "training.needs-device": Wording(
        "“{field}” için gereken: {wanted}; çalışma ise {device} üzerinde.", "Ayarı çıkarın."
    ),
    "training.steps-in-backward": Wording(
        "“{field}” {name} olamaz: ağırlıkları her geri yayılımda değiştirir, hiçbir gradyan birikmez.",
        "Başkasını seçin ya da training.gradient_accumulation_steps değerini 1 yapın.",
    ),
    "run.compile": Wording(
        "torch.compile modeli derleyemiyor: {problem}",
        "training.torch_compile değerini false yapın; eğitim aynıdır.",
    ),
    "run.reports": Wording("Bu çalışmanın kayıpları ve ayarları şuraya da bildiriliyor: {names}.", ""),
    "run.report-failed": Wording(
        "Bu çalışma {name} izleyicisine bildirilemiyor: {reason}. Çalışma sürüyor; hepsi ev klasöründe.", ""
    ),
    "run.no-metric": Wording(
        "En iyi modeli seçmek için {name} diye bir ölçü yok; değerlendirmenin verdikleri: {known}.",
        "training.metric_for_best_model için bunlardan birini yazın ya da onu çıkarın.",
    ),
    "training.refused": Wording("transformers bu ayarı reddediyor: {problem}", "Değiştirin ya da çıkarın."),
    "run.interrupted": Wording(
        "Bu çalışmayı eğiten program ondan önce kapandı.",
        "O ana dek kaydedilenler duruyor; son kontrol noktasından devam edin ya da yeni bir çalışma başlatın.",
    ),
    "run.never-started": Wording("Program, sıra bu çalışmaya gelmeden kapatıldı.", "Yeniden başlatın."),
    "run.window-skipped": Wording(
        "Güncelleme vermeyen pencereler: {windows} (örnek: {examples}), sonuncusu {after}. güncellemeden sonra.", ""
    ),
}
