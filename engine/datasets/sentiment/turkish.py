"""Turkish words and patterns for the sentiment rows.

Suffixes follow the vowels of the word before them, so every inflected form is written out: of nouns the plain
form, the genitive and the accusative; of adjectives the plain form and the past ("temiz", "temizdi").
"""

from __future__ import annotations

from engine.datasets.sentiment.language import Domain, Forms, Language, Pair, forms


def noun(text: str) -> Forms:
    return forms(text, "_gen", "_acc")


def adjective(text: str) -> Forms:
    return forms(text, "_past")


def aspects(kind: str, *names: str) -> tuple[tuple[Forms, str], ...]:
    return tuple((noun(name), kind) for name in names)


def pairs(*words: str) -> tuple[Pair, ...]:
    return tuple((adjective(bad), adjective(good)) for good, bad in (word.split(" | ") for word in words))


def capitalised(text: str) -> str:
    first = {"i": "İ", "ı": "I"}.get(text[0], text[0].upper())
    return first + text[1:]


DOMAINS = (
    Domain(
        noun("film/filmin/filmi"),
        aspects("story", "senaryo/senaryonun/senaryoyu", "son sahne/son sahnenin/son sahneyi", "konu/konunun/konuyu")
        + aspects("acting", "oyunculuk/oyunculuğun/oyunculuğu", "başrol oyuncusu/başrol oyuncusunun/başrol oyuncusunu")
        + aspects("any", "müzik/müziğin/müziği"),
        (
            "Filmi salı akşamı kardeşimle izledik.",
            "Salonun yarısı boştu.",
            "Film iki saatten biraz uzun sürüyor.",
            "Biletleri kuzenim bir hafta önce almıştı.",
            "Yönetmenin üçüncü filmiymiş.",
        ),
    ),
    Domain(
        noun("kitap/kitabın/kitabı"),
        aspects(
            "story", "hikâye/hikâyenin/hikâyeyi", "ilk bölüm/ilk bölümün/ilk bölümü", "son bölüm/son bölümün/son bölümü"
        )
        + aspects("story", "ana karakter/ana karakterin/ana karakteri")
        + aspects("text", "çeviri/çevirinin/çeviriyi")
        + aspects("any", "kapak/kapağın/kapağı"),
        (
            "Kitabı iki hafta boyunca trende okudum.",
            "Kitap yaklaşık üç yüz sayfa.",
            "Bir iş arkadaşım baharda ödünç vermişti.",
            "Yazar eskiden öğretmenlik yapıyormuş.",
            "Bendeki geçen yılın baskısı.",
        ),
    ),
    Domain(
        noun("otel/otelin/oteli"),
        aspects("place", "oda/odanın/odayı", "lobi/lobinin/lobiyi", "bar/barın/barı", "banyo/banyonun/banyoyu")
        + aspects("food", "kahvaltı/kahvaltının/kahvaltıyı")
        + aspects("person", "resepsiyon görevlisi/resepsiyon görevlisinin/resepsiyon görevlisini"),
        (
            "Haziranda orada üç gece kaldık.",
            "İstasyona yürüyerek on dakika sürüyor.",
            "Odamız dördüncü kattaydı.",
            "Rezervasyonu annemle babam yaptırmıştı.",
            "Karşı kaldırımda bir otobüs durağı var.",
        ),
    ),
    Domain(
        noun("lokanta/lokantanın/lokantayı"),
        aspects("food", "çorba/çorbanın/çorbayı", "ana yemek/ana yemeğin/ana yemeği", "tatlı/tatlının/tatlıyı")
        + aspects("food", "salata/salatanın/salatayı")
        + aspects("person", "garson/garsonun/garsonu")
        + aspects("place", "salon/salonun/salonu"),
        (
            "Cuma günü öğle yemeğine gittik.",
            "Masada altı kişiydik.",
            "Geçen sonbaharda kütüphanenin yanında açıldı.",
            "Masamızı telefonla ayırtmıştık.",
            "Ablam balık söyledi.",
        ),
    ),
    Domain(
        noun("telefon/telefonun/telefonu"),
        aspects("device", "kamera/kameranın/kamerayı", "hoparlör/hoparlörün/hoparlörü", "klavye/klavyenin/klavyeyi")
        + aspects("device", "şarj aleti/şarj aletinin/şarj aletini", "ekran/ekranın/ekranı", "pil/pilin/pili"),
        (
            "Martta eskisinin yerine aldım.",
            "Siyah ve gri renkleri var.",
            "Kutudan bir de kablo çıkıyor.",
            "Daha çok iş yerinde kullanıyorum.",
            "Aynı model kardeşimde de var.",
        ),
    ),
    Domain(
        noun("kurs/kursun/kursu"),
        aspects("person", "öğretmen/öğretmenin/öğretmeni", "asistan/asistanın/asistanı")
        + aspects("text", "ders kitabı/ders kitabının/ders kitabını", "anlatım/anlatımın/anlatımı")
        + aspects("text", "bitirme sınavı/bitirme sınavının/bitirme sınavını")
        + aspects("place", "sınıf/sınıfın/sınıfı"),
        (
            "Dersler iki ay boyunca haftada iki gündü.",
            "Grupta on dört kişiydik.",
            "Şirketim aracılığıyla yazıldım.",
            "Limana yakın bir binada buluşuyorduk.",
            "Her ders doksan dakika sürüyordu.",
        ),
    ),
)

TURKISH = Language(
    domains=DOMAINS,
    pairs={
        "any": pairs("iyi/iyiydi | kötü/kötüydü", "başarılı/başarılıydı | başarısız/başarısızdı"),
        "story": pairs(
            "sürükleyici/sürükleyiciydi | sıkıcı/sıkıcıydı",
            "özgün/özgündü | sıradan/sıradandı",
            "inandırıcı/inandırıcıydı | abartılı/abartılıydı",
            "etkileyici/etkileyiciydi | yavan/yavandı",
        ),
        "acting": pairs("inandırıcı/inandırıcıydı | yapmacık/yapmacıktı", "içten/içtendi | soğuk/soğuktu"),
        "text": pairs(
            "anlaşılır/anlaşılırdı | karmaşık/karmaşıktı",
            "özenli/özenliydi | özensiz/özensizdi",
            "akıcı/akıcıydı | dağınık/dağınıktı",
        ),
        "place": pairs(
            "temiz/temizdi | kirli/kirliydi",
            "sessiz/sessizdi | gürültülü/gürültülüydü",
            "ferah/ferahtı | basık/basıktı",
            "rahat/rahattı | rahatsız/rahatsızdı",
        ),
        "food": pairs(
            "lezzetli/lezzetliydi | tatsız/tatsızdı",
            "taze/tazeydi | bayat/bayattı",
            "doyurucu/doyurucuydu | yetersiz/yetersizdi",
        ),
        "person": pairs(
            "kibar/kibardı | kaba/kabaydı",
            "ilgili/ilgiliydi | ilgisiz/ilgisizdi",
            "güler yüzlü/güler yüzlüydü | asık suratlı/asık suratlıydı",
            "sabırlı/sabırlıydı | sabırsız/sabırsızdı",
        ),
        "device": pairs(
            "kullanışlı/kullanışlıydı | kullanışsız/kullanışsızdı",
            "sağlam/sağlamdı | dayanıksız/dayanıksızdı",
            "kaliteli/kaliteliydi | kalitesiz/kalitesizdi",
        ),
    },
    strong=(
        tuple(map(adjective, ("berbat/berbattı", "korkunç/korkunçtu", "rezalet/rezaletti", "felaket/felaketti"))),
        tuple(map(adjective, ("harika/harikaydı", "mükemmel/mükemmeldi", "muhteşem/muhteşemdi", "şahane/şahaneydi"))),
    ),
    intensifiers=("", "", "çok ", "gerçekten ", "oldukça ", "son derece ", "epey "),
    strong_intensifiers=("", "gerçekten ", "tek kelimeyle ", "bana göre "),
    patterns={
        "plain": (
            "{a} {i}{x_past}",
            "{a_acc} {i}{x} buldum",
            "{a} {i}{x} çıktı",
            "{a} {j}{s_past}",
            "bence {a} {s_past}",
        ),
        "negation": (
            "{a} {y} değildi",
            "{a} hiç de {y} değildi",
            "{a} pek {y} sayılmazdı",
            "{a} için {y} diyemem",
            "{a} {y_past} diyemem",
            "kimse {a} {y_past} diyemez",
            "{a_acc} {y} bulanlara katılmıyorum",
        ),
        "contrast": (
            "{a} {y} değil, {i}{x_past}",
            "{a} {i}{x_past}, {y} değil",
            "{a} {y} değil, {x} çıktı",
            "{a} {y} olmak bir yana, {i}{x_past}",
            "sandığımın aksine {a} {y} değil, {x_past}",
            "{a} için {x} derim, {y} demem",
        ),
        "concession": (
            "{b} {w} olsa da {a} {i}{x_past}",
            "{a} {i}{x_past}, {b} {w} olsa bile",
            "{b} {w_past} ama {a} {i}{x_past}",
            "{b_gen} {w} olmasına rağmen {a} {x_past}",
            "{b} {w_past}, yine de {a} {i}{x} çıktı",
            "her ne kadar {b} {w} olsa da {a} {x_past}",
        ),
        "expectation": (
            "{a_gen} {y} olacağını sanıyordum, yanılmışım",
            "{a_gen} {x} olacağını sanıyordum, yanılmamışım",
            "arkadaşlarım {a} için {y} demişti, haklı değillermiş",
            "arkadaşlarım {a} için {x} demişti, haklılarmış",
            "{a} {y_past} diyenler yanılıyor",
            "{a} {x_past} diyenler yanılmıyor",
            "{a_gen} {y} olduğunu duymuştum, doğru değilmiş",
            "{a_gen} {x} olduğunu duymuştum, doğruymuş",
        ),
    },
    phrases={
        "comparison": (
            (
                "bir önceki {n} bundan daha iyiydi",
                "bu {n} bir öncekinden daha kötüydü",
                "bu {n} bir önceki kadar iyi değildi",
                "bir önceki {n} bundan daha başarılı geldi bana",
            ),
            (
                "bu {n} bir öncekinden daha iyiydi",
                "bir önceki {n} bundan daha kötüydü",
                "bir önceki {n} bunun kadar iyi değildi",
                "bu {n} bir öncekinden daha başarılı geldi bana",
            ),
        ),
        "verdict": (
            (
                "bu {n_acc} kimseye tavsiye etmem",
                "bu {n_acc} seçtiğime pişmanım",
                "bu {n_acc} bir daha seçmem",
                "bu {n} verdiğim parayı hak etmedi",
                "bu {n_acc} seçmek için hiçbir neden göremiyorum",
                "bu {n_acc} sevmek mümkün değil",
            ),
            (
                "bu {n_acc} herkese tavsiye ederim",
                "bu {n_acc} seçtiğime pişman değilim",
                "bu {n_acc} bir daha seçerim",
                "bu {n} verdiğim parayı hak etti",
                "bu {n_acc} seçmemek için hiçbir neden göremiyorum",
                "bu {n_acc} sevmemek mümkün değil",
            ),
        ),
        "short": (
            (
                "hiç iyi değil",
                "hiç de iyi değil",
                "{n} tam bir hayal kırıklığı",
                "bu {n_acc} hiç beğenmedim",
                "bundan kötü bir {n} bulmak zor",
                "keşke bu {n_acc} hiç seçmeseydim",
            ),
            (
                "hiç fena değil",
                "hiç de kötü değil",
                "{n} tam bir keyif",
                "bu {n_acc} çok beğendim",
                "bundan iyi bir {n} bulmak zor",
                "iyi ki bu {n_acc} seçmişim",
            ),
        ),
    },
    turns=("sonuç olarak ", "yine de ", "her şeye rağmen ", "kısacası ", "toparlarsam, "),
    capitalised=capitalised,
)
