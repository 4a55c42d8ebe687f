"""As `engine.words.own_data`."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    # ---- how a file is written ----
    "data.unknown-encoding": Wording(
        "{value} diye bir kodlama yok.", "utf-8, cp1254 ya da utf-16-le gibi bir kodlama yazın."
    ),
    "data.not-utf8": Wording(
        "{path} UTF-8 metin değil: {line}. satıra bakın.",
        "UTF-8 olarak kaydedin ya da data.encoding ayarlayın, örneğin {able}.",
    ),
    "data.not-decoded": Wording(
        "{path} {encoding} metin değil: {line}. satıra bakın.",
        "UTF-8 olarak kaydedin ya da data.encoding için başkasını yazın, örneğin {able}.",
    ),
    "data.no-text": Wording(
        "{path} metin olmayan karakterler içeriyor: {line}. satıra bakın.",
        "İşaretsiz UTF-16 ise data.encoding değerini utf-16-le ya da utf-16-be yapın.",
    ),
    "data.huge-row": Wording(
        "{path} içinde {millions} milyon karakterden uzun bir satır var: {line}. satıra bakın.",
        "Satırlara bölün; kapanmayan bir tırnak ya da ayraç da böyle bir satır yapar.",
    ),
    "data.column-twice": Wording("{path} içinde “{name}” adlı iki sütun var.", "Birinin adını değiştirin."),
    "data.changed": Wording("{path} okunurken {name} değişti.", "Sonuna kadar yazılınca yeniden başlatın."),
    "data.no-space": Wording(
        "Bu kadar büyük bir dosyanın satırları {folder} içinde tutulur; oraya yazılamıyor: {reason}.",
        "Orada yer açın ya da başka bir ev klasörü seçin.",
    ),
    # ---- folders ----
    "data.empty-folder": Wording("{path} içinde okunabilecek dosya yok.", "Dosya koyun: {known}."),
    "data.mixed-folder": Wording(
        "{path} içinde birkaç biçimde dosya var: {endings}.",
        "İçinde tek biçimden olanları bırakın ya da bir dosya adlandırın.",
    ),
    "data.other-columns": Wording(
        "{path} içinde, {first} dosyasında olan “{name}” sütunu yok; olanlar: {columns}.",
        "Klasördeki bütün dosyalara aynı sütunları verin.",
    ),
    # ---- rows ----
    "data.repeated-rows": Wording(
        "{source} içindeki {rows} satırdan {count} tanesi öncekilerin tekrarı; tutuldular.", ""
    ),
    "data.leak": Wording(
        "Ayrılan {rows} satırdan {count} tanesinin metni eğitimde de var: değerlendirme olduğundan iyi görünür.", ""
    ),
    "data.unseen-label": Wording(
        "{source} içinde “{value}” etiketi var, yeri {place}; eğitim satırlarında yok. Onlardakiler: {known}.",
        "Düzeltin ya da o sınıftan satırları eğitim satırlarına katın.",
    ),
    # ---- conversations ----
    "data.half-a-pair": Wording("“{given}” yanında “{field}” da ister.", "İkisinin de sütununu adlandırın."),
    "data.two-ways": Wording(
        "Bir satırda ne olduğunu “{first}” bir türlü, “{field}” başka türlü söylüyor.",
        "Birini bırakın: data.text, data.messages ya da data.prompt ile data.completion.",
    ),
    "data.chat-task": Wording("“{field}” text-generation içindir, görev ise {task}.", "task değerini ona ayarlayın."),
    "data.not-as-conversations": Wording(
        "{source} içinde “{name}” sütunu yok; “{messages}” konuşma tutuyor gibi.",
        "data.text ayarını çıkarın ve data.messages için {messages} yazın.",
    ),
    "data.conversations-task": Wording(
        "{source} içinde “{name}” sütunu yok; “{messages}” konuşma tutuyor gibi, görev ise {task}.",
        "Yanıtlarını öğrenmek için task değerini text-generation yapın ya da data.text için bir metin sütunu yazın.",
    ),
    "data.not-messages": Wording(
        "{source} içinde konuşma yerine {kind} var, yeri {place}.",
        '[{{"role": "user", "content": "…"}}, {{"role": "assistant", "content": "…"}}] gibi bir liste yazın.',
    ),
    "data.not-a-turn": Wording(
        "{source} içinde {place} yerindeki {number}. söz, kimin ne dediğini söylemiyor.",
        'Her birini {{"role": "user", "content": "…"}} biçiminde yazın.',
    ),
    "data.no-answer": Wording(
        "{source} içinde yanıt veren yok, yeri {place}; bulunan roller: {roles}.",
        "Her konuşmaya assistant rolünden bir söz ekleyin: öğrenilen odur.",
    ),
    "data.no-completion": Wording("{source} içinde yanıt yok, yeri {place}.", "Oraya yazın ya da satırı çıkarın."),
    "data.no-preview": Wording(
        "Veriye bakılamıyor ({problem}).", "Başlat'a basın: neyin yanlış olduğunu çalışma söyler."
    ),
    "data.no-preview-answer": Wording("Veriye bakan süreç yanıt vermeden kapandı.", "Yeniden sorun."),
    # ---- streams ----
    "data.stream-steps": Wording(
        "Bir akışın nerede biteceği önceden bilinmez; kaç güncelleme olacağını “{field}” söylemelidir.", "Ayarlayın."
    ),
    "data.stream-classes": Wording(
        "“{name}”, “{column}” sütununun sınıflarını adlandırmıyor; bir akış da onlar için sonuna kadar okunamaz.",
        "data.streaming değerini false yapın.",
    ),
}
