"""Turkish words and patterns for the tagged sentences; names take their cases after an apostrophe."""

from __future__ import annotations

from engine.datasets.entities.language import Language

HIGH_VOWEL = {"a": "ı", "ı": "ı", "o": "u", "u": "u", "e": "i", "i": "i", "ö": "ü", "ü": "ü"}
HARD = "fstkçşhp"


def inflected(word: str, case: str) -> str:
    """`word` in the locative (`de`), ablative (`den`), dative (`e`) or genitive (`in`), by the harmony of vowels."""
    letters = word.replace("İ", "i").replace("I", "ı").lower()
    last = next(letter for letter in reversed(letters) if letter in HIGH_VOWEL)
    low = "a" if last in "aıou" else "e"
    open_end = letters[-1] in HIGH_VOWEL
    if case in ("de", "den"):
        return f"{word}'{'t' if letters[-1] in HARD else 'd'}{low}{case[2:]}"
    if case == "e":
        return f"{word}'{'y' if open_end else ''}{low}"
    return f"{word}'{'n' if open_end else ''}{HIGH_VOWEL[last]}n"


NAMES = (
    "Aydın", "Fatih", "Eyüp", "Fırat", "Dicle", "Ege", "Toros", "Meriç", "Seyhan", "Ceyhan", "Tuna", "Aras",
    "Asya", "İdil", "Nil", "Ilgaz", "Kumru", "Yıldız", "Munzur", "Çınar", "Göksu", "Gediz", "Pınar", "Tunca",
    "Deniz", "Bayram", "Güneş", "Kemer",
)  # fmt: skip

TURKISH = Language(
    names=NAMES,
    first_names=("Nisan", "Eylül", "Ekim", "Ayşe", "Mehmet", "Zeynep", "Emre", "Elif", "Hakan"),
    last_names=("Yılmaz", "Kaya", "Demir", "Öztürk", "Irmak", "Banka"),
    weekdays=("pazartesi", "salı", "çarşamba", "perşembe", "cuma"),
    months=("Nisan", "Eylül", "Ekim", "Mayıs", "Haziran"),
    entities={
        "PER": ("{name}", "{name}", "{first}", "{first} {last}", "{first} {last}", "{name} {last}"),
        "LOC": ("{name}", "{name}", "{name}", "Kuzey {name}", "Yukarı {name}", "Yeni {name}"),
        "ORG": ("{name}", "{name}", "{name} Bank", "Yeni {name} Kitabevi", "{first} ve {last}", "{name} Makina"),
        "DAY": ("{day} {month}", "{day} {month} {year}", "{weekday}", "{day} {month} {weekday}"),
        "SPAN": ("{month}", "{month}", "{year} {month}"),
    },
    sentences=(
        "PER LOC+den LOC+e uçtu .",
        "PER LOC+de doğdu , LOC yakınlarında büyüdü .",
        "PER , DAY günü N koli ve yaşlı bir köpekle LOC+e taşındı .",
        "LOC+de öğretmenlik yapan PER , DAY günü PER+e bir mektup yazdı .",
        "ORG , LOC ofisi için N mühendisi işe aldı .",
        "ORG SPAN içinde LOC+de yeni bir şube açacak .",
        "ORG hisseleri DAY günü ORG raporundan sonra düştü .",
        "PER N yıldır ORG şirketinde çalışıyor .",
        "PER , LOC treninin saat N gibi kalktığını söyledi .",
        "LOC+de N gün yağmur yağdı .",
        "ORG , küçük rakibi ORG şirketini N milyona satın aldı .",
        "PER+in ağabeyi LOC+den N kilometre ötede oturuyor .",
        "PER LOC+de çıkan yangını PER+e anlattı .",
        "belki DAY günü LOC+de PER ile görüşürüz .",
        "ORG başkanı PER , DAY günü istifa etti .",
        "LOC , LOC+den N kilometre uzakta , bir ırmağın kıyısındadır .",
        "SPAN ayına kadar LOC+de kimse ORG adını duymamıştı .",
        "PER köşedeki bankanın SPAN içinde kapanıp kapanmayacağını sordu .",
        "ORG avukatları N kez PER+e telefon etti .",
        "göl SPAN sonuna kadar donmuştu .",
        "LOC kentinin kuzeyinde N kişi yürüyüşe katıldı .",
        "PER gülerek kapıyı kapattı .",
        "ORG müşterileri SPAN içinde PER+e şikâyette bulundu .",
        "LOC ile LOC arasındaki yol DAY günü kapalıydı .",
    ),
    inflected=inflected,
)
