"""As `engine.words.exports`."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    "export.unknown": Wording("Bir çalışma “{kind}” olarak dışa aktarılamaz.", "Şunlardan birini seçin: {known}."),
    "export.alive": Wording("Çalışma {run} hâlâ sürüyor.", "Bittiğinde dışa aktarın."),
    "export.no-model": Wording("Çalışma {run} model bırakmadı.", "Sonuna kadar yeniden eğitin."),
    "export.no-adapter": Wording(
        "Çalışma {run} adaptör eğitmedi ya da bırakmadı.", "lora ayarlayıp yeniden eğitin; modelin bütünü duruyor."
    ),
    "export.no-updates": Wording(
        "Çalışma {run} hiç güncelleme yapmadı; yeniden üretilecek bir şey yok.",
        "YAML'ını dışa aktarın ya da önce eğitin.",
    ),
    "export.not-written": Wording("{path} yazılamıyor: {reason}.", "--to ile başka bir yer seçin."),
    "export.skipped": Wording(
        "Çalışma, güncelleme vermeyen pencereleri atladı ({windows}); hazır Trainer onlarda da adım atardı.",
        "YAML'ını dışa aktarın ve `birikim train` ile eğitin.",
    ),
    "export.other-windows": Wording(
        "{update}. güncelleme {examples} satırdan, {targets} hedeften ve {micro_batches} mikro partiden oluştu; "
        "ayarlar ve veri şimdi {now} veriyor. Veri o zamandan beri değişmiş ya da çalışma yolda yeniden dağıtılmış.",
        "Veriyi eski hâline getirin; yarıya indirilen ya da başka planla devam eden bir çalışmanın betiği yoktur.",
    ),
    "export.other-schedule": Wording(
        "{update}. güncelleme {rate} öğrenme hızıyla yapıldı; {total} güncellemelik takvim {now} veriyor. Çalışma "
        "başladığından başka bir uzunlukla devam etmiş; bir betiğin ise tek takvimi olur.",
        "YAML'ını dışa aktarın ya da baştan, tek seferde eğitin.",
    ),
    "export.field": Wording(
        "Dışa aktarılan bir betik “{field}” ayarının istediğini yapamaz.",
        "YAML'ı dışa aktarın ya da bu ayar olmadan eğitin.",
    ),
    "export.own-code": Wording(
        "Çalışma {run} için “{field}” bir dosyadaki koddur; sayfa onu çalıştırmaz.",
        "Komut satırından dışa aktarın: birikim export {run} --as script.",
    ),
    "export.metric": Wording(
        "Dışa aktarılan bir betik yalnız kaybı değerlendirir; çalışma ise {metric} ile seçti.",
        "training.metric_for_best_model değerini loss yapın ya da YAML'ı dışa aktarın.",
    ),
    "export.stream": Wording(
        "Akıştan gelen satırlar bir betiğin yanına yazılamaz.", "Bir dosyayla eğitin ya da YAML'ı dışa aktarın."
    ),
    "export.rows": Wording(
        "Bu görevin satırlarında bir betiğin bilmediği bir şey var: {part}.",
        "YAML'ı dışa aktarın ve `birikim train` ile eğitin.",
    ),
    "export.failed": Wording(
        "Dışa aktarma başarısız: {problem}.", "Komut satırında `birikim export` deneyin; o daha çoğunu söyler."
    ),
    "export.no-answer": Wording("Dışa aktarma zamanında yanıt vermedi.", "Komut satırında `birikim export` deneyin."),
    # ---- to the Hub ----
    "push.name": Wording("“{name}” bir depo adı değil.", "sahip/ad biçiminde yazın."),
    "push.offline": Wording(
        "HF_HUB_OFFLINE, Hub'a her isteği yasaklıyor.", "Göndermek için kaldırın; model çalışmanın klasöründe kalır."
    ),
    "push.no-token": Wording(
        "Hub kim olduğunuzu bilmiyor.",
        "`hf auth login` ile giriş yapın ya da HF_TOKEN'a yazma izni olan bir erişim anahtarı verin.",
    ),
    "push.refused": Wording(
        "Hub, {name} deposunu reddediyor: {reason}.",
        "Orada yazma izni olan bir anahtar ya da başka bir sahip kullanın.",
    ),
    "push.unreachable": Wording(
        "Hub'a ulaşılamıyor: {reason}.", "Ağı denetleyip yeniden gönderin; gönderilmiş olan iki kez gönderilmez."
    ),
}
