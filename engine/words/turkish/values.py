"""What stands in the values of a message as English words, and which of them are numbers.

A pattern matches a whole value; `{0}` is its first group. What a library or the system says of its own failure is
left as it is, but for the most frequent reasons.
"""

from __future__ import annotations

FORWARD, BACKWARD = "ileri geçiş", "geri yayılım"

PHRASES: dict[str, dict[str, str]] = {
    "phase": {"forward": FORWARD, "backward": BACKWARD, "update": "güncelleme", "evaluation": "değerlendirme"},
    "state": {
        "queued": "sırada",
        "loading": "yükleniyor",
        "running": "çalışıyor",
        "paused": "duraklatıldı",
        "finished": "bitti",
        "stopped": "durduruldu",
        "failed": "başarısız",
        "interrupted": "yarıda kaldı",
    },
    "place": {
        r"line (\d+)": "{0}. satır",
        r"row (\d+)": "{0}. satır",
        r"row (\d+) \(line (\d+)\)": "{0}. kayıt, {1}. satır",
        r"(.+), line (\d+)": "{0}, {1}. satır",
        r"(.+), row (\d+)": "{0}, {1}. satır",
        r"(.+), row (\d+) \(line (\d+)\)": "{0}, {1}. kayıt, {2}. satır",
    },
    "kind": {
        "str": "metin",
        "int": "tam sayı",
        "float": "kesirli sayı",
        "bool": "true ya da false",
        "list": "liste",
        "dict": "nesne",
        "NoneType": "boş değer",
    },
    "beside": {r" beside (\d+) new ones": " ({0} yeni tokenle birlikte)"},
    "error": {"an unbounded amount": "sınırsız"},
    "problem": {"no further word": "başka bir söz yok"},
    "wanted": {
        r"a GPU that computes in bf16 \(Ampere or newer\), or the CPU": (
            "bf16 ile hesaplayan bir GPU (Ampere ya da yenisi) veya CPU"
        ),
        r"a GPU with TF32 \(Ampere or newer\)": "TF32'li bir GPU (Ampere ya da yenisi)",
        "an NVIDIA GPU": "bir NVIDIA GPU",
    },
    "seen": {
        r"two equal passes differ by (\S+); seeded alike the error is (\S+)": (
            "iki eş geçiş arasında {0} fark var; aynı tohumla hata {1}"
        ),
        (
            r"two equal passes differ by (\S+); seeded alike the error is (\S+) "
            r"\(a row in another place of its batch may be given other numbers\)"
        ): (
            "iki eş geçiş arasında {0} fark var; aynı tohumla hata {1} "
            "(partisinde başka yerde duran bir satıra başka sayılar düşebilir)"
        ),
        r"with coefficient 0 the error is (\S+)": "katsayı 0 iken hata {0}",
        r"with room for all tokens the error is (\S+)": "bütün tokenlere yer varken hata {0}",
        r"with kept statistics the error is (\S+)": "istatistikler tutulunca hata {0}",
        r"at equal width the error is (\S+)": "eşit genişlikte hata {0}",
        r"a row's outputs move by (\S+) \(relative\) when other rows join its batch": (
            "partisine başka satırlar katılınca bir satırın çıktıları {0} kayıyor (göreli)"
        ),
    },
    "reason": {
        "too many brackets inside each other": "iç içe çok fazla ayraç var",
        r"an alias \(\*\) can't be used here, write the value out": (
            "burada takma ad (*) kullanılamaz, değeri açıkça yazın"
        ),
        "a key must be a word": "anahtar bir sözcük olmalı",
        r"a comma or \] is missing": "virgül ya da ] eksik",
        "it is no function": "bir fonksiyon değil",
        "it is read-only": "salt okunur",
        r"(\S+) is no JSON object": "{0} bir JSON nesnesi değil",
        "No such file or directory": "böyle bir dosya ya da klasör yok",
        "Permission denied": "izin yok",
        "Is a directory": "bir klasör",
        "Not a directory": "bir klasör değil",
        "File name too long": "dosya adı çok uzun",
        "No space left on device": "diskte yer kalmadı",
        "Read-only file system": "dosya sistemi salt okunur",
    },
}
"""By the name of the value: its English words as a pattern, and the same in Turkish."""

LISTS = frozenset({"able", "tasks", "suggestion", "package"})
"""Values that are a choice, with “or” between its parts."""
OR = " ya da "

FIGURES = frozenset(
    {"error", "ratio", "percent", "loss", "own", "seen", "needed", "free", "least", "most", "budget", "rate", "best"}
)
"""Values that are numbers in words, which take the decimal comma: `12.7 %`, `1.5 GiB`."""
