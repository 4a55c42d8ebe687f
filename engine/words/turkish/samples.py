"""As `engine.words.samples`."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    # ---- samples while a run trains ----
    "samples.prompts": Wording(
        "samples.prompts metinden başka bir şey, çok fazla metin ya da fazla uzun bir metin içeriyor.",
        "Her biri en çok {longest} karakter olan, en çok {most} metinlik bir liste yazın.",
    ),
    "samples.nothing": Wording(
        "samples ne istem ne satır adlandırıyor; örneklenecek bir şey yok.",
        "samples.rows değerini 1 ya da daha büyük yapın veya prompts yazın; ya da samples'ı çıkarın.",
    ),
    "samples.no-mask": Wording("“{prompt}” isteminde doldurulacak yer yok.", "Bulunacak sözcüğün yerine {mask} yazın."),
    "samples.empty-prompt": Wording("“{prompt}” isteminden geriye token kalmıyor.", "Başka bir istem yazın."),
    "run.nothing-to-sample": Wording("Değerlendirme için satır ayrılmadı; satırlardan örnek alınmıyor.", ""),
    "run.no-more-samples": Wording(
        "{update}. güncellemeden sonra örnek alınamadı ({reason}): çalışma örneksiz sürüyor.", ""
    ),
    # ---- a trained model tried ----
    "try.under-way": Wording("Çalışma {run} hâlâ sürüyor.", "Bitmesini bekleyin ya da durdurun."),
    "try.no-model": Wording("Çalışma {run} model bırakmadı.", "En az bir güncelleme yapmış bir çalışma seçin."),
    "try.request": Wording("Bu, bir modeli deneme isteği değil.", "Bir metin ve ayarları adlarıyla gönderin."),
    "try.text": Wording("Metin boş ya da {longest} karakterden uzun.", "Daha kısa bir metin yazın."),
    "try.knob": Wording("{name} {value} olamaz.", "{least} ile {most} arasında seçin."),
    "try.too-long": Wording(
        "Metin {tokens} token uzunluğunda; en çok {most} token sığar{beside}.",
        "Kısaltın ya da daha az yeni token isteyin.",
    ),
    "try.no-mask": Wording("Metinde doldurulacak yer yok.", "Bulunacak sözcüğün yerine {mask} yazın."),
    "try.no-base": Wording("Eğitimden önceki modelin {task} için söyleyeceği bir şey yok.", ""),
    "try.chat": Wording("Bu modelin sohbet şablonu yok.", "Metni olduğu gibi gönderin."),
    "try.no-memory": Wording(
        "Model yaklaşık {needed} bellek ister, boş olan {free}.", "Başka programları kapatın ya da çalışmayı bekleyin."
    ),
    "try.unreadable": Wording("Çalışma {run} modeli okunamıyor: {reason}.", "Yeniden eğitin."),
    "try.failed": Wording("Model yanıt vermedi: {problem}.", "Başka bir metin deneyin."),
    "try.no-answer": Wording("Modeli tutan süreç yanıt vermeden kapandı.", "Yeniden sorun; süreç baştan başlar."),
}
