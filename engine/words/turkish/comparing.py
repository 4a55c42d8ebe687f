"""As `engine.words.comparing`."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    "compare.none": Wording("Karşılaştırılacak çalışma yok.", "Bir ya da birkaç çalışmanın numarasını verin."),
    "compare.too-many": Wording("Aynı anda {count} çalışma karşılaştırılamaz.", "En çok {most} çalışma seçin."),
    "compare.no-training": Wording("Çalışma {run} bir eğitim değil, eğrisi yok.", "Eğitim olan çalışmalardan seçin."),
    # ---- whether losses are of one kind ----
    "compare.task": Wording(
        "Çalışmaların görevleri farklı ({where}).", "Kayıpları başka türden: her birini kendi türüyle karşılaştırın."
    ),
    "compare.data": Wording(
        "Çalışmalar farklı verilerle eğitildi ({where}).", "Kayıpları birbiriyle karşılaştırılamaz."
    ),
    "compare.rows": Wording(
        "Ayarlar aynı veriyi söylüyor ama satırlar başkaydı ({where}).",
        "Veri arada değişmiş: kayıpları birbiriyle karşılaştırılamaz.",
    ),
    "compare.held-out": Wording(
        "Çalışmalar farklı satırlarla değerlendirildi ({where}): hangi satırların ayrılacağını tohum ve veri belirler.",
        "Değerlendirme kayıpları arasındaki farkın bir bölümü bundandır.",
    ),
    "compare.cut": Wording(
        "Modeller metinleri farklı tokenlere bölüyor olabilir ({where}).",
        "Kayıplar token başına ortalamadır: yalnızca tokenler aynıysa karşılaştırın.",
    ),
    "compare.averaged": Wording(
        "Çalışmalar bir pencerenin ortalamasını farklı alıyor ({where}).",
        "Eğitim kayıpları da böyle söylenir: değerlendirme kayıplarını karşılaştırın.",
    ),
    "compare.minimised": Wording(
        "Çalışmaların küçülttüğü kayıplar farklı ({where}).", "Değerlendirme ölçütlerini karşılaştırın."
    ),
    "compare.batch": Wording(
        "Bir güncellemeye düşen örnek sayısı farklı ({where}).",
        "Aynı güncellemede çalışmalar farklı miktarda veri görmüştür: eksen olarak örneği ya da hedefi seçin.",
    ),
    # ---- where they were made ----
    "compare.device": Wording(
        "Çalışmalar farklı cihazlarda yapıldı ({where}).",
        "Süre, işlem hızı ve bellek cihaza bağlıdır: yalnızca kayıplarını karşılaştırın.",
    ),
    "compare.machine": Wording(
        "Çalışmalar farklı makinelerde yapıldı ({where}).",
        "Süre ve işlem hızı makineye bağlıdır: yalnızca kayıplarını karşılaştırın.",
    ),
    "compare.machine-unknown": Wording(
        "Hangi makinede yapıldığı yazılmamış: {runs}.", "Süreleri başka bir makinenin olabilir."
    ),
    "compare.threads": Wording(
        "Çalışmaların iş parçacığı sayısı farklı ({where}).", "Süre ve işlem hızı buna da bağlıdır."
    ),
    "compare.versions": Wording(
        "Çalışmalar farklı sürümlerle yapıldı ({where}).", "Kayıplar ve süreler yalnızca bundan da farklı olabilir."
    ),
    # ---- of single runs ----
    "compare.unfinished": Wording("Bitmemiş: {runs}.", "Değerleri şimdiye kadarki son değerlerdir."),
    "compare.watched": Wording(
        "Mikro parti mikro parti izlendi: {runs}.", "Bu zaman alır: işlem hızları olabileceğinden düşüktür."
    ),
    "compare.resumed": Wording(
        "Bir kontrol noktasından sürdü: {runs}.", "Süreleri birkaç seferin eğitim süresinin toplamıdır."
    ),
    "compare.halved": Wording(
        "Mikro partisi yolda yarıya indi: {runs}.", "İşlem hızları ve bellekleri birkaç düzenin değeridir."
    ),
    "compare.short": Wording(
        "İşlem hızı için çok kısa: {runs}.", "Bütün güncellemeleri ısınma sayılır, ısınma da hesaba katılmaz."
    ),
    "compare.no-tokens": Wording("Tokenler sayılmadan önce eğitildi: {runs}.", "Eksen token olduğunda çizilmezler."),
    # ---- the same once more ----
    "compare.copy": Wording(
        "Çalışma {run} içe aktarılmış bir kopya; aslı çalışma {original}.",
        "Hiçbir şeyi tekrarlamaz, tohumlar arası yayılıma katılmaz.",
    ),
    "compare.repeated": Wording("Aynı ayarlar, aynı tohum: {runs}. Kayıpları son bitine kadar eşit.", ""),
    "compare.not-repeated": Wording(
        "Aynı ayarlar, aynı tohum: {runs}. Yine de kayıpları en çok {apart} kadar ayrılıyor.",
        "Başka sürümler, cihazlar ya da iş parçacığı sayıları buna yol açar; bir GPU'nun bazı işlemleri de.",
    ),
}
