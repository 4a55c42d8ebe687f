"""As `engine.words.homes`."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    # ---- the page's program ----
    "page.open-to-others": Wording(
        "{option}, sayfayı başka makinelere parolasız açardı.",
        "--auth-file DOSYA ekleyin; satır başına bir kullanıcı:parola.",
    ),
    "page.other-name": Wording(
        "Birikim burada yalnız localhost'a yanıt verir.", "Başka bir adla ulaşılması için --host ile başlatın."
    ),
    "page.other-page": Wording("Bunu yalnız Birikim'in kendi sayfası yapabilir.", ""),
    "page.auth-file": Wording("--auth-file dosyası {path} okunamıyor: {reason}.", "Yolu denetleyin."),
    "page.auth-line": Wording(
        "{path} dosyasının {line}. satırı kullanıcı:parola değil.", "Satır başına bir kullanıcı:parola yazın."
    ),
    "page.auth-empty": Wording(
        "--auth-file dosyası {path} kimseyi adlandırmıyor.", "Satır başına bir kullanıcı:parola yazın."
    ),
    "page.class-password": Wording(
        "--class bir öğretmen parolası ister.",
        "{variable} değişkenini verin ya da satır başına bir kullanıcı:parola ile --auth-file DOSYA ekleyin.",
    ),
    "page.no-door": Wording(
        "Öğrencilerin sayfası {host} üzerinde {port} numaralı kapıda açılamıyor.", "Başka bir --class-port deneyin."
    ),
    "page.port-taken": Wording(
        "{host} üzerindeki {port} numaralı kapı kullanılamıyor: {reason}.",
        "--port ile başkasını seçin; öğrencilerin sayfası için --class-port ile.",
    ),
    "page.no-port": Wording("{host} üzerinde {first} ile {last} arasında boş kapı yok.", "--port ile birini seçin."),
    # ---- the home folder ----
    "store.not-a-folder": Wording(
        "{path} ev klasörü oluşturulamıyor: yerinde bir dosya var.", "--home ile başkasını seçin."
    ),
    "store.not-writable": Wording(
        "{path} ev klasörüne yazılamıyor ({reason}).", "İzinlerini değiştirin ya da --home ile başkasını seçin."
    ),
    "store.disk-full": Wording(
        "Ev klasörünün bulunduğu disk dolu.", "Yer açıp yeniden başlatın; kaydedilenler duruyor."
    ),
    "store.newer": Wording(
        "{path} daha yeni bir Birikim tarafından yazıldı (biçim {found}, bunun bildiği {known}).",
        "Birikim'i güncelleyin ya da --home ile başka bir ev klasörü seçin.",
    ),
    "store.foreign": Wording("{path} başka bir programa ait.", "--home ile başka bir ev klasörü seçin."),
    "store.corrupt": Wording(
        "{path} bozuk ({reason}).",
        "Başka yere taşıyın, Birikim yenisini başlatır; ya da --home ile başka bir ev klasörü seçin.",
    ),
    "store.cannot-open": Wording(
        "{path} açılamıyor ({reason}).", "Bir dosya olduğunu ve klasörüne yazılabildiğini denetleyin."
    ),
    "store.busy": Wording(
        "{path} zamanında okunamadı ya da yazılamadı.",
        "Başka bir program onu meşgul ediyor ya da disk yavaş: o bitince yeniden deneyin.",
    ),
    "store.failed": Wording(
        "{path} kullanılamıyor: {reason}.", "Diski denetleyin ya da --home ile başka bir ev klasörü seçin."
    ),
    "store.closed": Wording("Depo kapatılmış.", "Birikim'i yeniden başlatın."),
    "store.no-run": Wording("{run} numaralı çalışma yok.", "Çalışmalar listesinden birini seçin."),
    "store.which-run": Wording("Hangi çalışma olduğu belirtilmemiş.", "Çalışmalar listesinden birini seçin."),
    "session.no-libraries": Wording(
        "Eğitim kitaplıkları yüklenmiyor: {problem}.",
        "README'nin anlattığı gibi yeniden kurun ve Birikim'i yeniden başlatın.",
    ),
    "session.no-command": Wording("“{command}” diye bir komut yok.", "Şunlardan birini kullanın: {commands}."),
    "session.full": Wording(
        "Sırada zaten {most} çalışma, kanıt ve ölçüm var.", "Bazılarını durdurun ya da bitmelerini bekleyin."
    ),
    "session.ended": Wording("Çalışma {run} sona erdi ({state}).", "Yeni bir çalışma başlatın."),
}
