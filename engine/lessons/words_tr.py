"""The lessons' words in Turkish, by the same codes."""

from __future__ import annotations

from engine.lessons.names_tr import NAMES

WHY: dict[str, str] = {
    "lesson.why.title": "Neden biriktirilir?",
    "lesson.why.part.plans": "Her plandan bir pencere, ölçülerek",
    "lesson.why.conclusion.activations": (
        "{large} planından {small} planına geçince aktivasyonlar {activations_large:bytes} yerine "
        "{activations_small:bytes} tuttu: büyüğü küçüğünün {activations_ratio:ratio}. İki plan da bir güncellemeye "
        "{rows:count} satır alıyor."
    ),
    "lesson.why.conclusion.activations-same": (
        "Aktivasyonlar burada azalmadı: {large} planında {activations_large:bytes}, {small} planında "
        "{activations_small:bytes}."
    ),
    "lesson.why.conclusion.peak": (
        "Böylece tepe noktası {peak_large:bytes} yerine {peak_small:bytes} oldu, {saved:share} daha az. "
        "Biriktirme, sığmayacak bir partiye yer açar; küçültemediği, aktivasyonlar dışında kalan her şeydir: "
        "burada {rest_small:bytes}."
    ),
    "lesson.why.conclusion.peak-same": (
        "Tepe noktası neredeyse hiç değişmedi: {large} planında {peak_large:bytes}, {small} planında "
        "{peak_small:bytes}. Mikro partiye bağlı olmayan {rest_small:bytes} bu modelde aktivasyonlardan ağır "
        "basıyor."
    ),
    "lesson.why.conclusion.did-not-fit": "{plan} bu makineye hiç sığmadı.",
}

SAME_UPDATE: dict[str, str] = {
    "lesson.same-update.title": "Aynı güncelleme",
    "lesson.same-update.part.proof": "Dört planın gradyanları, sonra her birinden on iki güncelleme",
    "lesson.same-update.conclusion.exact": (
        "{plans:count} planın hepsi {rows:count} satırlık ve {targets:count} hedeflik tek partinin gradyanını "
        "verdi. En büyük fark, {plan} planında, {error:error}: aynı sayıları başka sırayla toplamaktan doğan fp32 "
        "yuvarlaması."
    ),
    "lesson.same-update.conclusion.off": (
        "Planların hepsi büyük partinin gradyanını vermedi: {plan} planının sapması {error:error}. Kanıt sekmesi "
        "aynı ayarlarla nedenini arar."
    ),
    "lesson.same-update.conclusion.together": (
        "Eğitim de aynı yolu izliyor: {updates:count} güncelleme boyunca kayıp eğrilerinin farkı hiçbir yerde "
        "{apart:error} değerini aşmıyor."
    ),
    "lesson.same-update.conclusion.apart": (
        "{updates:count} güncelleme boyunca kayıp eğrilerinin farkı {apart:error} değerine çıktı: yuvarlama her "
        "güncellemede büyür ve burada görünür oldu."
    ),
}

SCALING_TRAP: dict[str, str] = {
    "lesson.scaling-trap.title": "Kayıp ölçekleme tuzağı",
    "lesson.scaling-trap.part.exact": "Hedeflere göre eğitim",
    "lesson.scaling-trap.part.proof": "İki gradyan, büyük partininkine karşı",
    "lesson.scaling-trap.part.means": "Ortalamaların ortalamasıyla eğitim",
    "lesson.scaling-trap.conclusion.uneven": (
        "Son penceredeki {micro_batches:count} mikro partide {least:count} ile {most:count} arasında hedef vardı. "
        "Ortalamaların ortalamasında her biri aynı ağırlıktadır, bu yüzden en kısasındaki bir hedef en "
        "uzunundakine göre {factor:ratio} sayılır; pencerenin kaybı {means:number} okunur, hedeflerinin "
        "ortalaması ise {exact:number}."
    ),
    "lesson.scaling-trap.conclusion.even": (
        "Son pencerenin {micro_batches:count} mikro partisi rastlantıyla {most:count} hedef tuttu: orada iki yol "
        "da aynı ağırlıkları verir. Başka pencereler eşit değildir."
    ),
    "lesson.scaling-trap.conclusion.gradient-off": (
        "Hatayı gradyan gösterir: ortalamaların ortalaması büyük partinin gradyanından {means:error} sapıyor, "
        "hedeflere göre ağırlık ise {exact:error}."
    ),
    "lesson.scaling-trap.conclusion.gradient-same": (
        "Kanıtlanan pencerede ortalamaların ortalaması yalnız {means:error} sapıyor: mikro partilerinde eşit "
        "sayıda hedef var."
    ),
    "lesson.scaling-trap.conclusion.trained-worse": (
        "{updates:count} güncellemeden sonra, ikisi için de hedeflerin ortalaması olan değerlendirme kaybı "
        "hedeflere göre {exact:number}, ortalamaların ortalamasıyla {means:number}: ikincisi başka bir kaybı "
        "küçültmeye çalışıyordu."
    ),
    "lesson.scaling-trap.conclusion.trained-same": (
        "{updates:count} güncellemeden sonra değerlendirme kaybı hedeflere göre {exact:number}, ortalamaların "
        "ortalamasıyla {means:number}; o kadar yakın ki bu kısa eğitimde zararı görünmüyor. Yine de güncellemeler "
        "başkaydı: her biri başka bir kayba doğru atılmış bir adımdı."
    ),
    "lesson.scaling-trap.conclusion.trained-better": (
        "{updates:count} güncellemeden sonra değerlendirme kaybı hedeflere göre {exact:number}, ortalamaların "
        "ortalamasıyla {means:number}: bu kısa eğitim yanlış ağırlıklarla daha iyi gitti. Bu bir kural değil, "
        "rastlantı; eğitilmek istenen kayıp yine de bu değildi."
    ),
}

TARGETS: dict[str, str] = {
    "lesson.targets.title": "Ne hedef sayılır?",
    "lesson.targets.part.causal": "nedensel dil modeli",
    "lesson.targets.part.packed": "nedensel dil modeli, paketlenmiş",
    "lesson.targets.part.unshifted": "BERT'in nedensel dil modeli",
    "lesson.targets.part.masked": "maskeli dil modeli",
    "lesson.targets.part.tags": "sözcük etiketleri",
    "lesson.targets.part.written": "yazılan yanıt",
    "lesson.targets.part.classes": "metnin sınıfı",
    "lesson.targets.conclusion.shift": (
        "Nedensel başlığın {examples:count} satırında {labels:count} etiket, ama {targets:count} hedef var: her "
        "token kendinden öncekilerden kestirilir, satırın ilkinden önce bir şey yoktur."
    ),
    "lesson.targets.conclusion.no-shift": (
        "Nedensel başlık {labels:count} etiketinin hepsini karşılaştırıyor: {examples:count} satırda "
        "{targets:count} hedef."
    ),
    "lesson.targets.conclusion.packed-same": (
        "Uç uca paketlenince aynı satırlarda yine {packed:count} hedef var, {positions_padded:count} yerine "
        "{positions_packed:count} konumda: dolgu zaten hiç sayılmıyordu."
    ),
    "lesson.targets.conclusion.packed-other": (
        "Uç uca paketlenince satırlarda {packed:count}, dolguyla {padded:count} hedef var: paketleme burada "
        "öğrenileni değiştiriyor."
    ),
    "lesson.targets.conclusion.by-task": (
        "Belirleyen görevdir: maskeli dil modeli {tokens:count} tokenın {masked:count} tanesinden ({share:share}) "
        "öğrenir, sınıflandırıcı ise satırlar ne kadar uzun olursa olsun {rows:count} satırın {classes:count} "
        "sınıfından."
    ),
    "lesson.targets.conclusion.stock-other": (
        "Hazır Trainer {model_class} için başka sayıyor: kaybın karşılaştırdığı {targets:count} iken o "
        "{stock:count} ile bölerdi. Kaybın ne yaptığına değil, modelin yapılandırmasındaki bir ada bakar."
    ),
    "lesson.targets.conclusion.stock-same": (
        "Hazır Trainer'ın sayımı {heads:count} durumun hepsinde tutuyor. Sorunu saymakta değil, sayıya hangi "
        "başlıkların böldüğünde: son derse bakın."
    ),
}

NOT_FASTER: dict[str, str] = {
    "lesson.not-faster.title": "Daha hızlı değildir",
    **{
        f"lesson.not-faster.part.{rows}x{32 // rows}": f"{rows} × {32 // rows}, dokuz güncelleme"
        for rows in (32, 16, 8, 4, 2, 1)
    },
    "lesson.not-faster.conclusion.slower": (
        "{small} saniyede {small_rate:number} satır işledi, {large} ise {large_rate:number}: büyük mikro partinin "
        "hızı {slower:ratio}. Biriktirme zamandan değil bellekten kazandırır: sığan en büyük mikro partiyi seçin."
    ),
    "lesson.not-faster.conclusion.same": (
        "{small} ile {large} bu makinede aynı hızdaydı: saniyede {small_rate:number} ve {large_rate:number} satır. "
        "Biriktirme hızlandırmaz, burada yavaşlatmıyor da; dolu çalışmak için büyük mikro parti isteyen bir GPU'da "
        "yavaşlama görülürdü."
    ),
    "lesson.not-faster.conclusion.faster": (
        "Bu makinede küçük mikro parti daha hızlıydı: {small} ile saniyede {small_rate:number}, {large} ile "
        "{large_rate:number} satır, yani {faster:ratio}. CPU'nun önbelleğine küçük mikro parti sığar, büyüğü "
        "sığmaz; GPU'da büyük olasılıkla tersi görülür. Nerede eğitiyorsanız orada ölçün."
    ),
    "lesson.not-faster.conclusion.between": (
        "En hızlısı ikisinin arasında: {best}, saniyede {best_rate:number} satır, {large} planının {gain:ratio} hızı."
    ),
    "lesson.not-faster.conclusion.same-work": (
        "Planların hepsi aynı işi yaptı: {rows:count} satırla {updates:count} güncelleme. Yalnız yol başka."
    ),
}

TAIL: dict[str, str] = {
    "lesson.tail.title": "Kuyruk penceresi ve takvim",
    "lesson.tail.part.steps-4": "Dört adım, üç epoch",
    "lesson.tail.part.steps-8": "Sekiz adım, üç epoch",
    "lesson.tail.part.drop-last": "Dört adım, son mikro parti atılarak",
    "lesson.tail.conclusion.tail": (
        "{rows:count} satır tam bölünmüyor: dolu pencerede {most:count}, epoch'un sonuncusunda {least:count} satır "
        "var. Onun da kendi güncellemesi olduğundan içindeki bir satırın ağırlığı ötekilerinkine göre {factor:ratio}."
    ),
    "lesson.tail.conclusion.even": "{rows:count} satır tam bölünüyor: her pencerede {most:count} satır var.",
    "lesson.tail.conclusion.fewer-updates": (
        "Adımlar iki katına çıkınca aynı epoch'lardan {four:count} yerine {eight:count} güncelleme çıktı. Takvim "
        "güncelleme sayar: {warmup:count} güncellemelik ısınma ilk çalışmanın {share_four:share}, ikincinin "
        "{share_eight:share} kadarı. Adımları artıran; ısınmaya, değerlendirmeye ve kaydetmeye yeniden bakmalı."
    ),
    "lesson.tail.conclusion.as-many-updates": (
        "Burada adımlar iki katına çıkınca da güncelleme sayısı aynı kaldı, {eight:count} ve {four:count}: "
        "{warmup:count} güncellemelik ısınma ikisinin de aynı payı."
    ),
    "lesson.tail.conclusion.dropped": (
        "dataloader_drop_last kısa pencereyi değil kısa mikro partiyi atar: bütün epoch'larda {left:count} örnek "
        "görülmedi, son pencerede ise yine yalnız {least:count} satır var."
    ),
    "lesson.tail.conclusion.nothing-dropped": (
        "dataloader_drop_last burada bir şey değiştirmedi: kısa mikro parti yoktu, {met:count} örnek görüldü."
    ),
}

LEARNING_RATE: dict[str, str] = {
    "lesson.learning-rate.title": "Etkili parti ve öğrenme hızı",
    "lesson.learning-rate.part.small": "Küçük parti: çok güncelleme",
    "lesson.learning-rate.part.none": "Sekiz kat parti, aynı hız",
    "lesson.learning-rate.part.linear": "Sekiz kat parti, sekiz kat hız",
    "lesson.learning-rate.part.square-root": "Sekiz kat parti, √8 kat hız",
    "lesson.learning-rate.part.noise": "Başlangıçta gradyanın gürültüsü",
    "lesson.learning-rate.conclusion.best-none": (
        "{before:count} örneklik {many:count} güncelleme yerine {batch:count} örneklik {few:count} güncellemeyle "
        "en iyisi değişmeyen hız oldu: değerlendirme kaybı {none:number}, karekökle {root:number}, doğrusalla "
        "{linear:number}. Hız zaten yüksekti, daha yükseği hedefi aşıyor."
    ),
    "lesson.learning-rate.conclusion.best-linear": (
        "{before:count} örneklik {many:count} güncelleme yerine {batch:count} örneklik {few:count} güncellemeyle "
        "en iyisi doğrusal kural oldu: değerlendirme kaybı {linear:number}, karekökle {root:number}, değişmeyen "
        "hızla {none:number}. Az güncellemenin her biri daha uzağa gitmeli."
    ),
    "lesson.learning-rate.conclusion.best-square-root": (
        "{before:count} örneklik {many:count} güncelleme yerine {batch:count} örneklik {few:count} güncellemeyle "
        "en iyisi karekök oldu: değerlendirme kaybı {root:number}, doğrusalla {linear:number}, değişmeyen hızla "
        "{none:number}. Kuramın Adam için verdiği kural da budur."
    ),
    "lesson.learning-rate.conclusion.scaled-alike": (
        "{before:count} örneklik {many:count} güncelleme yerine {batch:count} örneklik {few:count} güncellemeyle, "
        "partiyle birlikte büyüyen hız daha iyi gitti: değerlendirme kaybı karekökle {root:number}, doğrusalla "
        "{linear:number}, aralarında seçim yapılamayacak kadar yakın; değişmeyen hızla {none:number}. Az "
        "güncellemenin her biri daha uzağa gitmeli."
    ),
    "lesson.learning-rate.conclusion.rules-same": (
        "Üç kural da aynı yere vardı: değişmeyen hızla {none:number}, karekökle {root:number}, doğrusalla "
        "{linear:number}. Bu hızlarda bu görev için fark etmiyor."
    ),
    "lesson.learning-rate.conclusion.caught-up": (
        "En iyisi, {best:number}, aynı örneklerle küçük partinin {small:number} kaybı kadar iyi."
    ),
    "lesson.learning-rate.conclusion.behind": (
        "En iyisi, {best:number}, aynı örneklerle küçük partinin {small:number} kaybının gerisinde kaldı: büyük "
        "parti daha az güncelleme yapar, daha yüksek hız bunların hepsini karşılamaz."
    ),
    "lesson.learning-rate.conclusion.noise-above": (
        "{windows:count} pencereden kestirilen gürültü ölçeği yaklaşık {scale:count} örnek, {batch:count} örneklik "
        "partinin üstünde: bu eğitimin başında gradyan çoğunlukla gürültü ve daha büyük partiler hâlâ işe yarıyor."
    ),
    "lesson.learning-rate.conclusion.noise-below": (
        "{windows:count} pencereden kestirilen gürültü ölçeği yaklaşık {scale:count} örnek, {batch:count} örneklik "
        "partinin altında: bu eğitimin başında gradyan zaten belirgin, güncellemeye eklenen satırlar az şey "
        "katıyor. Kayıp düştükçe ölçek büyür."
    ),
    "lesson.learning-rate.conclusion.noise-unseen": (
        "{windows:count} pencerede gürültü, gradyandan görülecek bir şey bırakmadı: ölçek {batch:count} örneklik "
        "partinin çok üstünde ve ona bir sayı verilemiyor."
    ),
}

MEMORY: dict[str, str] = {
    "lesson.memory.title": "Belleği ne doldurur, sonra ne gelir?",
    "lesson.memory.part.plain": "fp32, bütün ağırlıklar",
    "lesson.memory.part.checkpointing": "aktivasyonları yeniden hesaplayarak",
    "lesson.memory.part.bf16": "bf16 autocast ile",
    "lesson.memory.part.lora": "LoRA ile",
    "lesson.memory.conclusion.fills": (
        "Ağırlıklar, gradyanlar ve eniyileyici durumu, parti ne olursa olsun, {stays:bytes} tuttu, yalnız "
        "ağırlıklara göre {times:ratio}; aktivasyonlar {activations:bytes}; tepe noktası {peak:bytes}."
    ),
    "lesson.memory.conclusion.checkpointing": (
        "Aktivasyonları yeniden hesaplamak (checkpointing) onları {activations_before:bytes} yerine "
        "{activations:bytes}, tepe noktasını {after:bytes} yaptı, {saved:share} daha az; güncelleme aynı: her "
        "katman geri geçişte ikinci kez hesaplanır."
    ),
    "lesson.memory.conclusion.checkpointing-not": (
        "Aktivasyonları yeniden hesaplamak tepe noktasını burada pek değiştirmedi: önce {before:bytes}, onunla "
        "{after:bytes}."
    ),
    "lesson.memory.conclusion.bf16": (
        "bf16 autocast aktivasyonları {activations_before:bytes} yerine {activations:bytes}, tepe noktasını "
        "{after:bytes} yaptı, {saved:share} daha az. Ağırlıklar ve eniyileyici fp32 kalır."
    ),
    "lesson.memory.conclusion.bf16-not": (
        "bf16 autocast tepe noktasını burada pek değiştirmedi: önce {before:bytes}, onunla {after:bytes}. "
        "Aktivasyonları yarıya indirir, ağırlıkların kopyalarını ekler."
    ),
    "lesson.memory.conclusion.lora": (
        "LoRA ağırlıkları, gradyanları ve eniyileyici durumunu {stays_before:bytes} yerine {stays:bytes}, "
        "aktivasyonları {activations_before:bytes} yerine {activations:bytes}, tepe noktasını {after:bytes} yaptı, "
        "{saved:share} daha az: donmuş ağırlıklar gradyan da durum da istemez, kendi gradyanlarının hesaplanacağı "
        "girdileri de."
    ),
    "lesson.memory.conclusion.lora-not": (
        "LoRA tepe noktasını burada pek değiştirmedi: önce {before:bytes}, onunla {after:bytes}. Gradyandan ve "
        "durumdan kazandırır, aktivasyonlardan yalnız donmuş ağırlıkların gradyanlarına gerekecek olanı."
    ),
    "lesson.memory.conclusion.did-not-fit": "Pencerelerin hepsi bu makineye sığmadı; tabloda ölçülenler var.",
}

STOCK_TRAINER: dict[str, str] = {
    "lesson.stock-trainer.title": "Hazır Trainer, başlık başlık",
    "lesson.stock-trainer.part.causal": "nedensel dil modeli (Llama)",
    "lesson.stock-trainer.part.classes": "metin sınıflandırma (BERT)",
    "lesson.stock-trainer.part.tags": "token sınıflandırma (BERT)",
    "lesson.stock-trainer.part.masked": "maskeli dil modeli (BERT)",
    "lesson.stock-trainer.part.written": "metinden metne (T5)",
    "lesson.stock-trainer.conclusion.wrong": (
        "{heads:count} başlığın {wrong:count} tanesinde hazır Trainer'ın gradyanı büyük partininki değil: normu, "
        "{steps:count} adımda, doğrusuna göre {least:ratio} ile {most:ratio} arasında çıkıyor. Her başlığın "
        "num_items_in_batch ile böleceğine güvenir, çoğu ona bakmaz bile. Adam ve gradyan kırpma hatayı gizler."
    ),
    "lesson.stock-trainer.conclusion.right": (
        "{heads:count} başlığın hepsinde hazır Trainer'ın gradyanı büyük partininkiydi: transformers'ın bu "
        "sürümünde burada gösterilecek bir hata yok."
    ),
    "lesson.stock-trainer.conclusion.ours-exact": (
        "Birikim'in gradyanı {heads:count} başlığın hepsinde kesin: modelin kendi ortalamasını alır, hedeflere "
        "göre ağırlıklandırır."
    ),
    "lesson.stock-trainer.conclusion.ours-off": (
        "Birikim'in kendi gradyanı {heads:count} başlığın {off:count} tanesinde saptı; Kanıt sekmesi nedenini arar."
    ),
    "lesson.stock-trainer.conclusion.table": (
        "transformers'ın kurulup kanıtlanan {built:count} başlığının {exact:count} tanesinde hazır Trainer doğru."
    ),
}

TURKISH = {
    **NAMES,
    **WHY,
    **SAME_UPDATE,
    **SCALING_TRAP,
    **TARGETS,
    **NOT_FASTER,
    **TAIL,
    **LEARNING_RATE,
    **MEMORY,
    **STOCK_TRAINER,
}
