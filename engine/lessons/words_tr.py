"""The lessons' words in Turkish, by the same codes."""

from __future__ import annotations

GENERAL: dict[str, str] = {
    "lesson.column.plan": "mikro-parti × adım",
    "lesson.column.activations": "aktivasyonlar",
    "lesson.column.rest": "geri kalan",
    "lesson.column.peak": "tepe",
    "lesson.column.memory": "tepedeki bellek",
    "lesson.column.error": "bağıl hata",
    "lesson.column.cosine": "kosinüs",
    "lesson.column.norm": "norm",
    "lesson.column.apart": "kayıp eğrisinin ayrılığı",
    "lesson.column.update": "güncelleme",
    "lesson.column.loss": "kayıp",
    "lesson.series.weights": "ağırlıklar",
    "lesson.series.gradients": "gradyanlar",
    "lesson.series.optimizer": "optimizer durumu",
    "lesson.series.activations": "aktivasyonlar",
    "lesson.series.other": "diğer",
}

WHY: dict[str, str] = {
    "lesson.why.part.plans": "Her plandan bir pencere, ölçülerek",
    "lesson.why.conclusion.activations": (
        "{large} planından {small} planına geçince aktivasyonlar {activations_large:bytes} değerinden "
        "{activations_small:bytes} değerine indi, oran {activations_ratio:ratio}; ağırlıklar, gradyanlar ve optimizer "
        "durumu aynı kaldı, iki plan da bir güncellemeye {rows:count} satır alıyor."
    ),
    "lesson.why.conclusion.activations-same": (
        "Aktivasyonlar burada azalmadı: {large} planında {activations_large:bytes}, {small} planında "
        "{activations_small:bytes}."
    ),
    "lesson.why.conclusion.peak": (
        "Böylece tepe {peak_large:bytes} değerinden {peak_small:bytes} değerine indi, {saved:share} daha az. "
        "Biriktirme, sığmayacak bir partiyi mümkün kılar; tepeyi kalması gerekenin, burada {rest_small:bytes}, "
        "altına indiremez."
    ),
    "lesson.why.conclusion.peak-same": (
        "Tepe neredeyse hiç değişmedi: {large} planında {peak_large:bytes}, {small} planında {peak_small:bytes}. "
        "Mikro-partiye bağlı olmayan {rest_small:bytes} bu modelde aktivasyonlardan ağır basıyor."
    ),
    "lesson.why.conclusion.did-not-fit": "{plan} bu makineye hiç sığmadı.",
}

SAME_UPDATE: dict[str, str] = {
    "lesson.same-update.part.proof": "Dört planın gradyanları, sonra her birinden on iki güncelleme",
    "lesson.same-update.conclusion.exact": (
        "{plans:count} planın hepsi {rows:count} satırlık ve {targets:count} hedeflik tek partinin gradyanını verdi. "
        "En büyük fark, {plan} planında, {error:error}: aynı sayıları başka sırayla toplamaktan doğan fp32 yuvarlaması."
    ),
    "lesson.same-update.conclusion.off": (
        "Planların hepsi büyük partinin gradyanını vermedi: {plan} {error:error} kadar sapıyor. Nedenini Kanıt "
        "sekmesindeki kanıt söyler."
    ),
    "lesson.same-update.conclusion.together": (
        "Eğitim de aynı yolu izliyor: {updates:count} güncelleme boyunca kayıp eğrileri hiçbir yerde {apart:error} "
        "değerinden fazla ayrılmıyor."
    ),
    "lesson.same-update.conclusion.apart": (
        "{updates:count} güncelleme boyunca kayıp eğrileri {apart:error} kadar ayrıldı: ilk güncellemede yuvarlamaya "
        "kadar eşitler, yuvarlama her güncellemede büyür ve burada görünür oldu."
    ),
}

TURKISH = {**GENERAL, **WHY, **SAME_UPDATE}
