"""As `engine.words.sweeps`."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    # ---- istenen ----
    "sweep.none": Wording(
        "Yapılandırma bir taramadan söz etmiyor.",
        "{{training.learning_rate: [1e-5, 1e-4]}} gibi alanlarla sweep: ekleyin ya da --preset ile hazır bir soru "
        "sorun.",
    ),
    "sweep.no-preset": Wording("“{name}” hazır sorulardan biri değil.", "Şunlardan birini seçin: {known}."),
    "sweep.no-fields": Wording(
        "“{field}” hiçbir alan adı vermiyor ya da {most} alandan çoğunu veriyor.", "Değişecek alanları yazın."
    ),
    "sweep.values": Wording(
        "“{field}” {value} olamaz, bir değer listesi ya da bir aralık olmalı.",
        "[1e-5, 1e-4] ya da {{from: 1e-5, to: 1e-3}} yazın.",
    ),
    "sweep.no-values": Wording(
        "“{field}” hiç değer içermiyor ya da {most} değerden çoğunu içeriyor.", "Birkaç değer ya da bir aralık yazın."
    ),
    "sweep.same-value": Wording("“{field}” içinde {value} iki kez geçiyor.", "Birini silin."),
    "sweep.half-a-range": Wording("“{field}” aralığında “{key}” yok.", "{{from: 1e-5, to: 1e-3}} yazın."),
    "sweep.range-ends": Wording("“{field}” aralığı {low} ile {high} arasında.", "Küçük sayıyı önce yazın."),
    "sweep.range-log": Wording(
        "“{field}” aralığı {low} değerinden başlayınca logaritmik olamaz.",
        "0'dan büyük bir sayıyla başlayın ya da log ayarını silin.",
    ),
    "sweep.range-step": Wording(
        "“{field}” log ya da count ile birlikte olamaz.", "Birini bırakın; count ile log birlikte olabilir."
    ),
    "sweep.range-count": Wording(
        "“{field}” {value} olamaz, 2 ile {most} arasında bir tam sayı olmalı.", "5 gibi bir sayı yazın."
    ),
    "sweep.endless": Wording(
        "Izgara “{field}” alanının her değerini alır, ama bunların sonu yok.",
        "count ya da step ekleyin ya da method ayarını random veya tpe yapın.",
    ),
    "sweep.effective-twice": Wording("“{field}” hem sabit hem taramanın bir alanı.", "Birini bırakın."),
    "sweep.length-twice": Wording(
        "“{field}” taramanın bir alanı, updates ise bütün denemelere aynı uzunluğu veriyor.", "Birini bırakın."
    ),
    "sweep.two-plans": Wording(
        "Etkili parti verilmişken “{field}” ile mikro parti birlikte alan olamaz.", "Birini bırakın: öteki ondan çıkar."
    ),
    "sweep.cannot-divide": Wording(
        "Birleşimlerden {count} tanesi etkili partiyi oluşturamıyor; ilki {first}.",
        "Etkili partinin bölenlerini seçin ya da leave_out ayarını true yapın.",
    ),
    "sweep.nothing-left": Wording("Hiçbir birleşim etkili partiyi oluşturamıyor.", "Onu bölen mikro partiler seçin."),
    "sweep.whole-field": Wording("“{field}” yalnızca tam sayı alır.", "from, to ve step değerlerini noktasız yazın."),
    "sweep.no-number": Wording("“{field}” sayı almaz, bu yüzden aralığı da olmaz.", "Bir değer listesi yazın."),
    "sweep.too-many": Wording("Taramada {most} denemeden çoğu olurdu.", "Daha az değer yazın."),
    "sweep.unknown-length": Wording(
        "Yapılandırmadaki dönemlerin kaç güncelleme ettiği, satırlar okunmadan bilinmiyor; {keys} ayarlarının ne kadar "
        "küçüleceği de.",
        "training.max_steps ayarına tam bir çalışmanın uzunluğunu yazın.",
    ),
    "sweep.uneven-examples": Wording(
        "{batch} örneklik güncellemeler, “{field}” ayarının karşılığı olan {examples} örneği tam olarak oluşturamıyor.",
        "Onu {near} yapın ya da başka partiler seçin.",
    ),
    # ---- bir çalışma ----
    "sweep.unknown": Wording("“{study}” adında bir tarama yok.", "Tarama listesinden birini seçin."),
    "sweep.no-trial": Wording("“{study}” taramasının {trial} numaralı denemesi henüz yok.", "Başlamış birini seçin."),
    "sweep.name": Wording(
        "“{study}” bir taramanın adı olamaz.", "En çok {most} harf, rakam, nokta, tire ve alt çizgi yazın."
    ),
    "sweep.taken": Wording(
        "Başka ayarlarla bir “{study}” taraması zaten var.",
        "Buna başka bir ad verin; makineler onu paylaşıyorsa yalnızca dosyalarının klasörleri değişik olabilir.",
    ),
    "sweep.changed": Wording(
        "{name}, “{study}” taraması başladığında içerdiğini artık içermiyor.",
        "Başka bir adla yeni bir tarama başlatın ya da eski içeriğini geri koyun.",
    ),
    "sweep.under-way": Wording("“{study}” taraması sürüyor.", "Önce durdurun ya da bitmesini bekleyin."),
    "sweep.has-workers": Wording(
        "“{study}” taraması üzerinde başka bir program çalışıyor.",
        "Katılmak için --worker, başka bir tarama için --study NAME ekleyin.",
    ),
    "sweep.storage": Wording(
        "{place} içindeki taramalar kullanılamıyor: {reason}.", "Adresi ve sürücüsünün kurulu olduğunu denetleyin."
    ),
    "sweep.no-noise": Wording(
        "Veride gradyan gürültüsünü gösterecek tam bir pencere yok.",
        "Daha çok satır ya da daha küçük pencere kullanın.",
    ),
    "sweep.not-predicted": Wording(
        "Bu denemenin ne kadar bellek alacağı zamanında öngörülemedi.",
        "Bellek sekmesine ya da birikim memory'ye sorun.",
    ),
    "sweep.no-value": Wording(
        "Çalışma, sayı olmayan bir kayıpla bitti.", "Öğrenme hızını düşürün ya da eğrilerine bakın."
    ),
}
