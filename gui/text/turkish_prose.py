"""The nine lessons in Turkish: names and marks as in `gui.text.english_prose`."""

from __future__ import annotations

PROSE: dict[str, str] = {
    # 1
    "lesson.why.text": """\
Eğitimde iki parti boyutu vardır. *Etkili parti*, bir güncellemenin ortalamasını aldığı örneklerdir. Güncellemenin \
ne kadar gürültülü olacağını belirler; onu öğrenme için seçersiniz. *Mikro parti*, modelden bir kerede geçen \
satırlardır. Bunun ne kadar bellek istediğini belirler; onu sizin yerinize cihaz seçer.

Mikro partiyle birlikte büyüyen *aktivasyonlardır*: ileri geçişin geri yayılım için sakladığı her şey. Ağırlıklar, \
gradyanlar ve eniyileyici durumu ise bir satır için de yüz satır için de aynı yeri tutar.

`tepe ≈ ağırlıklar + gradyanlar + eniyileyici durumu + mikro parti × bir satırın aktivasyonları`

Biriktirme bu iki boyutu birbirinden ayırır. Bir mikro parti ileri ve geri geçer, gradyanı yerinde bırakılır; \
sıradaki kendi gradyanını onun üstüne ekler. Birinin aktivasyonları, ötekininkiler gelmeden boşaltılır; bellek \
hiçbir an bir mikro partiden fazlasını tutmaz. Pencerenin son mikro partisinden sonra bir güncelleme yapılır ve \
gradyanlar sıfırlanır.

Bedeli zamandır, nitelik değil. Güncelleme aynıdır (2. ders), ama daha erken gelmez (5. ders).""",
    "lesson.why.question": (
        "Etkili parti aynı kalıyor, mikro parti yarıya iniyor. Bir pencerenin tepe belleğine ne olur?"
    ),
    "lesson.why.answer.1": "Yarıya iner.",
    "lesson.why.because.1": (
        "Aktivasyondan başka bir şey olmasaydı öyle olurdu. Ağırlıklar, gradyanlar ve eniyileyici durumu satır "
        "sayısına bağlı değildir: hiçbir mikro partinin altına inemediği bir tabandır."
    ),
    "lesson.why.answer.2": "Aktivasyonlar yarıya iner, gerisi kalır.",
    "lesson.why.because.2": (
        "İleri geçiş sakladığını satır satır saklar: satırların yarısı, bunun yarısı. Gerisi parametrelere aittir ve "
        "onların sayısı değişmemiştir."
    ),
    "lesson.why.answer.3": "Değişmez: bir güncelleme yine bütün satırları işler.",
    "lesson.why.because.3": (
        "Hepsini işler, ama hiçbir zaman aynı anda değil. Bir mikro partinin sakladıkları kendi geri yayılımında, "
        "sıradaki başlamadan boşaltılır."
    ),
    "lesson.why.answer.4": "Artar: saklanacak daha çok gradyan vardır.",
    "lesson.why.because.4": (
        "Her geri yayılım aynı tampona ekler; parametre başına bir sayı. Küçük bir doğruluk payı var: ikinci "
        "mikro partiden başlayarak, aktivasyonlar birikirken bu tampon zaten oradadır."
    ),
    "lesson.why.reading": """\
Ott, Edunov, Grangier, Auli 2018: “Scaling Neural Machine Translation”
Accelerate belgeleri: “Performing gradient accumulation with Accelerate”
Transformers belgeleri: “Model training anatomy”""",
    # 2
    "lesson.same-update.text": """\
Toplamın gradyanı, gradyanların toplamıdır. Biriktirme yalnız buna dayanır. Bir pencerenin kaybı, hedefleri \
üzerinden bir toplamın hedef sayısına bölünmüşüdür; gradyanı da bu yüzden parça parça, istenen sırayla toplanabilir.

`∇L = Σₖ (nₖ / N) · ∇Lₖ`

k. mikro parti, penceredeki N hedefin nₖ tanesini taşır; Lₖ kendi hedeflerinin ortalama kaybıdır. Böyle tartılınca 8 \
satırlık dört mikro parti, 32 satırlık tek partinin gradyanını verir. Benzerini değil, *ta kendisini*.

İki koşul vardır. Hiçbir satır ötekilere bakmamalıdır: parti normalleştirmesi (batch norm) bakar, çünkü ortalaması \
ve varyansı mikro partininkidir; katman normalleştirmesi (layer norm) bakmaz. Rastlantı da aynı olmalıdır: satırlar \
başka dağıtılınca dropout başka maskeler çeker, iki gerçek çalışma ancak ortalamada uyuşur. Kanıtta her dropout \
0'dır.

Geriye yuvarlama kalır. Sayılar başka bir sırayla toplanır ve fp32 yaklaşık yedi basamak taşır.""",
    "lesson.same-update.question": (
        "Aynı satırlar, bir kez tek büyük parti, bir kez mikro partiler olarak. İki gradyan fp32'de, uzunluklarına "
        "göre, birbirinden ne kadar uzak olur?"
    ),
    "lesson.same-update.answer.1": "Hiç: son bitine kadar aynıdırlar.",
    "lesson.same-update.because.1": (
        "Kâğıt üstünde evet. Kayan noktada (a + b) + c ile a + (b + c) farklı yuvarlanabilir; başka biçimli matrisler "
        "de başka bir sırayla toplanır."
    ),
    "lesson.same-update.answer.2": "Yaklaşık 1e-7 kadar; bu yuvarlamadır.",
    "lesson.same-update.because.2": (
        "fp32 her sonucu, büyüklüğünün en çok 6e-8'i kadar yuvarlar; başka sırayla alınan toplamlar bunun birkaç katı "
        "kadar ayrılır. fp64'te uzaklık yaklaşık 1e-16'ya iner: demek ki gerçekten yuvarlamadır."
    ),
    "lesson.same-update.answer.3": "Yaklaşık %1 kadar: küçük partiler daha gürültülüdür.",
    "lesson.same-update.because.3": (
        "Gürültü *hangi* satırların çekildiğindedir, nasıl dağıtıldığında değil. Tek bir mikro parti gürültülüdür; "
        "pencere iki durumda da aynı satırları toplar."
    ),
    "lesson.same-update.answer.4": "Bir kat kadar: mikro parti sayısı kadar.",
    "lesson.same-update.because.4": (
        "Kimse pencerenin hedef sayısına bölmezse böyle olur; gerçek ve yaygın bir hatadır, 9. derse bakın."
    ),
    "lesson.same-update.reading": """\
Goldberg 1991: “What Every Computer Scientist Should Know About Floating-Point Arithmetic”
Ioffe, Szegedy 2015: “Batch Normalization: Accelerating Deep Network Training by Reducing Internal Covariate Shift”
Hoffer, Hubara, Soudry 2017: “Train longer, generalize better” (ghost batch normalisation)""",
    # 3
    "lesson.scaling-trap.text": """\
Bir mikro partinin ileri geçişi, *kendi* hedeflerinin ortalamasını döndürür. Bu ortalamaları mikro parti sayısına \
bölüp toplamak akla yakındır. Oysa bu, ancak bütün mikro partilerde eşit sayıda hedef varsa doğrudur. Eşit olmayan \
iki tane alalım: kaybı 2,0 olan 3 hedef ve kaybı 1,0 olan 9 hedef.

`hedefler üzerinden ortalama = (3 · 2,0 + 9 · 1,0) / 12 = 1,25
ortalamaların ortalaması = (2,0 + 1,0) / 2 = 1,50`

Ortalamaların ortalaması üç hedefe dokuzu kadar söz verir: üçün her biri, dokuzun her birinin üç katı sayılır.

Sınıflandırmada her satır bir hedeftir; dolu mikro partiler bu tuzağa hiç düşmez. Dil modellemesinde ve token \
sınıflandırmasında satırlar eşit değildir; kısa satırların arasındaki bir hedef, uzun satırların arasındaki bir \
hedeften ağır basar, hem de her pencerede yeniden.

Çaresi tek bir sayıdır. *Önce* bütün pencerenin hedeflerini sayın; sonra her mikro partinin ortalamasını nₖ / N ile \
tartın.""",
    "lesson.scaling-trap.question": (
        "Satırlar eşit değil ve kayıplar ortalamaların ortalaması olarak alınıyor. Bu gradyan, kesin olana göre "
        "nasıldır?"
    ),
    "lesson.scaling-trap.answer.1": "Yuvarlama dışında aynıdır.",
    "lesson.scaling-trap.because.1": (
        "Bunun için her mikro partide eşit sayıda hedef gerekir; eşit olmayan satırlar tam da bunu bozar."
    ),
    "lesson.scaling-trap.answer.2": "Sabit bir kat daha uzundur: daha küçük bir öğrenme hızı bunu giderir.",
    "lesson.scaling-trap.because.2": (
        "Sabit bir kat, hiç bölmemekten gelir (9. ders). Burada her mikro parti kendi katı kadar, N / (n · nₖ) kadar "
        "yanlıştır: kimi fazla, kimi az sayılır."
    ),
    "lesson.scaling-trap.answer.3": "Başka yönü gösterir: hiçbir öğrenme hızı bunu gidermez.",
    "lesson.scaling-trap.because.3": (
        "Az hedefli mikro partilerin sözü gereğinden çok, çok hedeflilerin az geçer. Yön değişir; günlükteki kayıp da "
        "sizin kastettiğiniz kayıp değildir."
    ),
    "lesson.scaling-trap.answer.4": "Daha gürültülüdür, ama ortalamada doğrudur.",
    "lesson.scaling-trap.because.4": (
        "Bu bir gürültü değil, yanlılıktır: kısa satırların hedefleri her pencerede ağır basar. Daha çok pencere bunu "
        "ortalayıp gidermez."
    ),
    "lesson.scaling-trap.reading": """\
Hugging Face blogu 2024: “Fixing Gradient Accumulation”
Unsloth blogu 2024: “Bugs in LLM Training – Gradient Accumulation Fix”""",
    # 4
    "lesson.targets.text": """\
*Hedef*, kaybın bir etiketle karşılaştırdığı tek bir tahmindir. Pencerenin kaybı hedef sayısına bölünür; onu yanlış \
sayan, güncellemenin boyunu yanlış ayarlar.

- *Nedensel dil modeli*: her konum sıradaki tokeni tahmin eder. Satırın ilk etiketinin önünde bir şey yoktur, o \
hedef değildir.
- *Maskeli dil modeli*: yalnız maskelenen tokenler. *Token sınıflandırması*: etiketli her token. Kaydırma yoktur.
- *Diziden diziye*: yanıtın her etiketi; kaydırılan, çözücünün girdisidir.
- Bütün satırları *sınıflandırma*: satır başına bir.
- −100 etiketi hiç sayılmaz: dolgu ya da öğrenilmeyecek bir istem.
- *Paketleme* satırları uç uca dizer. Her birinin ilk tokeni önceki satırdan tahmin edilmemelidir; hedef değildir.

`nedensel: hedefler = labels[1:] içinde −100 olmayanlar`

Bir başlığın kaydırıp kaydırmadığı adından anlaşılmaz. GPT-2'ninki kaydırır, hazır Trainer ise onun etiketlerini \
kaydırmadan sayar. Birikim bunu deneyerek bulur: kayba yalnız 0. konumda tek bir etiket verir. Hedef kalmıyorsa \
başlık kaydırıyordur.""",
    "lesson.targets.question": (
        "İki etiket satırı: `5 6 7 8 9` ve `5 6 −100 −100 −100`. Nedensel bir dil modeli bunlarda kaç hedef bulur?"
    ),
    "lesson.targets.answer.1": "10, konum başına bir.",
    "lesson.targets.because.1": "Dolgunun etiketi −100'dür ve o hiç sayılmaz.",
    "lesson.targets.answer.2": "7, −100 olmayan bütün etiketler.",
    "lesson.targets.because.2": (
        "Etiketlerini kaydırmayan maskeli dil modelleri, token sınıflandırması ve diziden diziye modeller için "
        "doğrudur. Hazır Trainer da GPT-2'de böyle sayar ve buna böler."
    ),
    "lesson.targets.answer.3": "5: dört ve bir.",
    "lesson.targets.because.3": (
        "Her satırın ilk etiketinin önünde, ondan tahmin edilebileceği bir token yoktur. Deneyde de nedensel "
        "başlığın, satır başına, etiketlerinden bir eksik hedefi vardır."
    ),
    "lesson.targets.answer.4": "2, satır başına bir.",
    "lesson.targets.because.4": "Bütün satırları sınıflandıran bir başlık böyle sayardı.",
    "lesson.targets.reading": """\
Devlin, Chang, Lee, Toutanova 2019: “BERT: Pre-training of Deep Bidirectional Transformers for Language \
Understanding”
Krell, Kosec, Perez, Fitzgibbon 2021: “Efficient Sequence Packing without Cross-contamination”
Hugging Face blogu 2024: “Improving Hugging Face Training Efficiency Through Packing with Flash Attention 2”""",
    # 5
    "lesson.not-faster.text": """\
Bir pencerenin her planı aynı hesabı yapar: aynı satırlar ileri ve geri, sonra bir güncelleme. Planlar, işin kaç \
çağrıya bölündüğünde ayrılır ve her çağrının kendi bedeli vardır: çevresindeki Python, her çekirdeğin (kernel) \
başlatılması, bütün ağırlıkların üstünden bir geçiş.

`güncelleme süresi ≈ adım × (bir çağrının bedeli + mikro parti × bir satırın süresi) + eniyileyicinin adımı`

1 × 32 çağrının bedelini 32 kez öder; matrisleri de öyle küçüktür ki cihazın yarısı boş durur. Büyük mikro partilere \
doğru, cihazın işi yetince kazanç düzleşir. CPU'da tersine bile dönebilir: aktivasyonlar önbelleklere sığmaz olur, \
yan yana duran çok satır da daha çok dolgu getirir.

Yani biriktirme bellek alır, zamanla öder; kimi zaman az, kimi zaman çok. Uygulamada: biraz payla sığan en büyük \
mikro partiyi alın, etkili partiyi adımlar tamamlasın.

Birden çok cihaz arasında ise zaman kazandırır: gradyanları mikro parti başına değil, pencere başına bir kez değiş \
tokuş etmek yeter.""",
    "lesson.not-faster.question": (
        "32 × 1, 16 × 2 ve böylece 1 × 32'ye kadar: güncelleme başına aynı 32 satır, aynı sayıda güncelleme. Hangi "
        "plan en yavaştır?"
    ),
    "lesson.not-faster.answer.1": "32 × 1: en ağırı odur.",
    "lesson.not-faster.because.1": (
        "Bellekte en ağırı odur. Ama bütün satırları tek bir çağrıyı paylaşır, her biri az zaman ister."
    ),
    "lesson.not-faster.answer.2": "Hiçbiri: hesap aynıdır.",
    "lesson.not-faster.because.2": (
        "Hesap aynıdır, çağrılar değil. Bir yerine 32 çağrı, ağırlıkların üstünden 32 kez geçer ve her çekirdeği 32 "
        "kez başlatır."
    ),
    "lesson.not-faster.answer.3": "1 × 32: en çok çağrıyı o yapar.",
    "lesson.not-faster.because.3": (
        "Bir güncelleme için çağrının bedeli 32 kez ödenir. Biriktirmenin bellek için verdiği zaman budur."
    ),
    "lesson.not-faster.reading": """\
Ott, Edunov, Grangier, Auli 2018: “Scaling Neural Machine Translation”
Williams, Waterman, Patterson 2009: “Roofline: An Insightful Visual Performance Model for Multicore Architectures”
PyTorch belgeleri: `DistributedDataParallel.no_sync`""",
    # 6
    "lesson.tail.text": """\
Satırlar nadiren tam bölünür. On satır, mikro parti 1, 4 biriktirme adımı: bir epoch'un pencereleri 4, 4 ve 2 \
satırdır. Sonuncusu *kuyruk penceresidir*. Epoch'la birlikte biter, sonrakinden ödünç almaz.

`epoch başına güncelleme = ⌈⌈satır / mikro parti⌉ / adım⌉ = ⌈10 / 4⌉ = 3`

Gradyanı, *gerçekten* taşıdığı hedeflerin sayısına bölünmelidir. Her zaman 4'e bölen bir döngü orada yarım adım \
atar. Doğru bölününce tam bir adımdır, ama yalnız iki satırın ortalamasıyla: öğrenme hızı aynı, gürültüsü \
ötekilerden çok.

Takvim *güncellemeleri* sayar, mikro partileri değil. 6 güncellemede doğrusal bir takvim 1e-3'ten altı basamakla \
iner: 1e-3, 8,33e-4, 6,67e-4, 5e-4, 3,33e-4, 1,67e-4. Adımlar dört katına çıkınca bir epoch'ta güncellemelerin aşağı \
yukarı dörtte biri kalır. 100 güncellemelik bir ısınma o zaman dört kat satır yer, belki bütün çalışmayı. Isınmayı \
çalışmanın bir payı olarak düşünün; Başlat'a basmadan önce formun altındaki hesabı okuyun.""",
    "lesson.tail.question": "42 satır, mikro parti 4, 4 biriktirme adımı, üç epoch. Kaç güncelleme olur?",
    "lesson.tail.answer.1": "6: epoch başına iki dolu pencere, gerisi atılır.",
    "lesson.tail.because.1": (
        "Geri kalan, öğrenilecek on satırdır ve kendi güncellemesini alır. (`dataloader_drop_last` eksik bir "
        "*mikro partiyi*, burada iki satırı atar; o başka bir şeydir: üçüncü çalışmaya bakın.)"
    ),
    "lesson.tail.answer.2": "8: 126 satır, on altışar.",
    "lesson.tail.because.2": (
        "Bunun için pencerelerin sonraki epoch'a taşması gerekirdi. Oysa her pencere kendi epoch'uyla biter."
    ),
    "lesson.tail.answer.3": "9: epoch başına üç, sonuncuları kısa.",
    "lesson.tail.because.3": (
        "Epoch başına ⌈42 / 4⌉ = 11 mikro parti, ⌈11 / 4⌉ = 3 pencere: 16, 16 ve 10 satır. Üç katı 9 eder."
    ),
    "lesson.tail.answer.4": "33: mikro parti başına bir.",
    "lesson.tail.because.4": (
        "Mikro parti sayısı 33'tür. Her biri gradyanını ekler; güncelleme ancak pencerenin sonuncusundan sonra gelir."
    ),
    "lesson.tail.reading": """\
Goyal ve ark. 2017: “Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour” (kademeli ısınma)
Vaswani ve ark. 2017: “Attention Is All You Need” (ısınmalı bir takvim)
Transformers belgeleri: “Trainer” ve “Optimization”""",
    # 7
    "lesson.learning-rate.text": """\
Bir güncellemeye 8 yerine 64 satır koyun: her biri sekiz kat satırın ortalamasını alır, gürültüsü √8 kat azalıp \
yaklaşık üçte bire iner. Ama aynı veriden artık sekizde bir sayıda güncelleme çıkar. Her adım uzamalı mı?

- *Hiç*: öğrenme hızı kalır. Güvenli, ama satır başına yavaş.
- *Doğrusal*, × 8. Gradyan yolda pek değişmiyorsa SGD'nin sekiz küçük adımı, sekiz kat uzun tek adıma yakındır; \
başlangıçta değişir, ısınma bunun içindir.
- *Karekök*, × √8: gradyanı kendi büyüklüğüne bölen Adam için.

Bunun nereye kadar işe yaradığı bir gürültü sorunudur. *Gradyan gürültü ölçeği*, satır gradyanlarının yayılımını \
ortalamalarının uzunluğuyla karşılaştırır:

`B = tr(Σ) / |G|²`

B'nin çok altında parti iki katına çıkınca gereken güncelleme neredeyse yarılanır. Çok üstünde fazladan satır \
neredeyse hiçbir şey getirmez. Biriktirmede bunu kestirmek için gereken vardır: mikro partiler küçük, pencereleri \
büyük bir partidir; ikisinin norm karelerinden tr(Σ) ve |G|² çıkar. B eğitim boyunca çoğu kez büyür: bir kılavuzdur, \
yasa değil.""",
    "lesson.learning-rate.question": (
        "Etkili parti 8 satırdan 64'e çıkıyor; öğrenme hızı ve veri aynı kalıyor. Değerlendirme kaybı, küçük partiye "
        "göre nerede biter?"
    ),
    "lesson.learning-rate.answer.1": "Daha aşağıda: gradyan daha az gürültülüdür.",
    "lesson.learning-rate.because.1": (
        "Daha az gürültülü olduğu doğru. Ama başlarda eğitimi tutan gürültü değil, adım sayısıdır."
    ),
    "lesson.learning-rate.answer.2": "Aynı yerde: görülen satır sayısı aynıdır.",
    "lesson.learning-rate.because.2": (
        "Ağırlıkları satırlar değil, güncellemeler yürütür. Onların sayısı sekizde birdir ve her biri öncekinden pek "
        "uzun değildir."
    ),
    "lesson.learning-rate.answer.3": "Daha yukarıda: güncellemelerin sayısı sekizde birdi.",
    "lesson.learning-rate.because.3": (
        "Adam'ın adımı, parti ne olursa olsun, öğrenme hızının izin verdiği kadar uzundur. Sekizde bir adım daha az "
        "yol alır; ölçeklenmiş bir öğrenme hızı bunun bir kısmını geri kazandırır, öteki eğriler bunu gösterir."
    ),
    "lesson.learning-rate.answer.4": "Iraksar.",
    "lesson.learning-rate.because.4": (
        "Aynı hızda daha büyük bir parti, temkinli seçimdir. Iraksayabilecek olan, fazla ölçeklenmiş bir hızdır."
    ),
    "lesson.learning-rate.reading": """\
McCandlish, Kaplan, Amodei ve ark. 2018: “An Empirical Model of Large-Batch Training”
Goyal ve ark. 2017: “Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour” (doğrusal kural)
Malladi, Lyu, Panigrahi, Arora 2022: “On the SDEs and Scaling Rules for Adaptive Gradient Algorithms” (karekök)
Smith, Kindermans, Ying, Le 2018: “Don't Decay the Learning Rate, Increase the Batch Size”""",
    # 8
    "lesson.memory.text": """\
fp32'de AdamW ile, eğitilen her parametre daha ilk satır gelmeden 16 bayt tutar:

`4 (ağırlık) + 4 (gradyan) + 8 (AdamW'nin iki momenti) = parametre başına 16 bayt`

8 milyar parametre için bu 128 GB eder ve biriktirme buna dokunmaz. Onun sınırladığı, aktivasyonlardır; tek bir \
satır bile sığmayınca elinden bir şey gelmez. O zaman başka yollar başlar, her biri bir bedelle.

- *Checkpointing* (yeniden hesaplama) yalnız her katman bloğunun girdisini saklar, gerisini geri yayılımda yeniden \
hesaplar: bir ileri geçiş fazla, yaklaşık üçte bir daha çok iş. Gradyan aynıdır.
- *Karışık hassasiyet* bf16 ya da fp16 ile hesaplar. Aktivasyonlar yarıya doğru küçülür; ağırlıklar, gradyanlar ve \
eniyileyici durumu fp32 kalır. Sayılar kabalaşır; fp16'da küçük gradyanlar yok olmasın diye kayıp büyütülür.
- Tabanın kendisini *LoRA* (az parametre eğitilir), 8 bitlik eniyileyiciler ya da onu cihazlara bölüştüren *ZeRO* \
indirir.

Bunlar birlikte kullanılır: etkili parti için adımlar, satır için checkpointing ve karışık hassasiyet.""",
    "lesson.memory.question": "Mikro parti aynı kalıyor, checkpointing açılıyor. Ne olur?",
    "lesson.memory.answer.1": "Aktivasyonlar küçülür, gerisi kalır, hesap artar.",
    "lesson.memory.because.1": (
        "Her blok yalnız girdisini saklar; gerisi, geri yayılım oraya varınca yeniden hesaplanır. Biriktirmedeki gibi "
        "bellek için zaman verilir ve ikisi bir arada işler."
    ),
    "lesson.memory.answer.2": "Belleğin bütün parçaları aynı oranda küçülür.",
    "lesson.memory.because.2": (
        "Ağırlıklar, gradyanlar ve eniyileyici durumu ileri geçişten gelmez: hiçbiri yeniden hesaplanamaz."
    ),
    "lesson.memory.answer.3": "Bellek küçülür, gradyan ise bir yaklaşıklık olur.",
    "lesson.memory.because.3": (
        "Yeniden hesaplanan, daha önce olanın aynısıdır: aynı girdilerden ve dropout için aynı rastgele durumdan."
    ),
    "lesson.memory.answer.4": "Hiçbir şey: geri yayılıma zaten bütün aktivasyonlar gerekir.",
    "lesson.memory.because.4": (
        "Hepsi gerekir, ama aynı anda değil. Bir bloğunkiler hesaplanır, kullanılır ve ondan önceki bloğunkiler "
        "gelmeden boşaltılır."
    ),
    "lesson.memory.reading": """\
Chen, Xu, Zhang, Guestrin 2016: “Training Deep Nets with Sublinear Memory Cost” (checkpointing)
Micikevicius ve ark. 2018: “Mixed Precision Training”
Hu ve ark. 2021: “LoRA: Low-Rank Adaptation of Large Language Models”
Rajbhandari, Rasley, Ruwase, He 2020: “ZeRO: Memory Optimizations Toward Training Trillion Parameter Models”""",
    # 9
    "lesson.stock-trainer.text": """\
`transformers`'ın hazır Trainer'ı pencerenin hedeflerini sayar, sayıyı modele `num_items_in_batch` adıyla verir ve \
bölmeyi ona bırakır. Modelin böleceğine tek bir belirtiden karar verir: `forward`'ının `**kwargs` almasından.

Birçok başlık `**kwargs` alır, ama o sayıya hiç bakmaz. Hep yaptıkları gibi kendi mikro partilerinin ortalamasını \
döndürürler; Trainer artık bölmez; yani kimse bölmez.

`gradyan = ∇L₁ + ∇L₂ + … + ∇Lₙ ≈ n × doğrusu`

Birikim'in transformers 5.24'ten küçük kurup denediği başlıklarda hazır Trainer şu kadarında kesindir: nedensel dil \
modellemesinde 182'nin 157'si, maskelide 51'in 5'i, diziden diziyede 37'nin 11'i, satır sınıflandırmada 125'in 1'i, \
token sınıflandırmada 100'ün hiçbiri.

Hata iyi gizlenir. AdamW gradyanı kendi büyüklüğüne böler, sabit bir kat adımlarında pek görünmez. Ama kırpma n kat \
erken başlar, SGD n kat uzun adım atar, günlükteki kayıp n kat yüksektir. Birikim modeli bu sayı olmadan çağırır ve \
ortalamaları kendisi tartar.""",
    "lesson.stock-trainer.question": (
        "BERT, hazır Trainer'da 4 biriktirme adımıyla satırları sınıflandırıyor. Gradyan, bütün satırların tek "
        "partisine göre nasıldır?"
    ),
    "lesson.stock-trainer.answer.1": "Aynıdır: her satır bir hedeftir.",
    "lesson.stock-trainer.because.1": (
        "Eşit sayılar, dört ortalamanın *ortalamasını* doğru kılar. Burada ise toplanırlar ve toplam bölünmez."
    ),
    "lesson.stock-trainer.answer.2": "4 kat fazla büyüktür.",
    "lesson.stock-trainer.because.2": (
        "Başlık `**kwargs` alır, sayıya aldırmaz ve ortalamasını döndürür; Trainer onu bölünmüş sanır. Dört ortalama "
        "toplanır."
    ),
    "lesson.stock-trainer.answer.3": "Fazla küçüktür.",
    "lesson.stock-trainer.because.3": (
        "Bu, fazla büyük bir sayıya bölmekten gelir; etiketleri kaydırılmadan sayılan GPT-2'de olduğu gibi."
    ),
    "lesson.stock-trainer.answer.4": "Uzunluğu doğru, yönü başkadır.",
    "lesson.stock-trainer.because.4": (
        "Bu, eşit olmayan satırlarda ortalamaların ortalamasıdır. Burada dört parça da aynı kat büyüktür, yön doğrudur."
    ),
    "lesson.stock-trainer.reading": """\
Hugging Face blogu 2024: “Fixing Gradient Accumulation”
Transformers belgeleri: “Trainer”
Kingma, Ba 2015: “Adam: A Method for Stochastic Optimization” (bir katı neden gizler)""",
}
