"""As `engine.words.config`."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    # ---- config: the file ----
    "config.no-file": Wording("{path} adlı yapılandırma dosyası yok.", "Yolu denetleyin."),
    "config.is-folder": Wording("{path} bir klasör, yapılandırma dosyası değil.", "İçindeki YAML dosyasını yazın."),
    "config.unreadable": Wording("{path} yapılandırma dosyası okunamıyor: {reason}.", "Dosya izinlerini denetleyin."),
    "config.not-text": Wording("{path} yapılandırma dosyası UTF-8 metin değil.", "UTF-8 olarak kaydedin."),
    "config.syntax": Wording(
        "Yapılandırma geçerli bir YAML değil; satır {line}, sütun {column}: {reason}.", "O satırı düzeltin."
    ),
    "config.too-long": Wording(
        "Yapılandırma {characters} karakter; en çok {most} karakter okunur.", "Ayar olmayan her şeyi çıkarın."
    ),
    "config.broken-text": Wording("“{field}” metin olmayan karakterler içeriyor.", "Elle yeniden yazın."),
    "config.not-a-mapping": Wording(
        "Yapılandırma, ayarlardan oluşan bir eşleme değil.", "`model: minilm` gibi satırlar yazın."
    ),
    "config.override": Wording(
        "“{override}” bir ayar değişikliği değil.",
        "ANAHTAR=DEĞER yazın; anahtar noktalı olsun, örneğin training.max_steps=100.",
    ),
    # ---- config: keys ----
    "config.duplicate-key": Wording(
        "“{field}” iki kez geçiyor: {first_line}. ve {line}. satırda.", "İkisinden birini bırakın."
    ),
    "config.unknown-key": Wording(
        "“{field}” diye bir ayar yok.", "Bunu mu demek istediniz: {suggestion}? Değilse çıkarın."
    ),
    "config.strange-key": Wording("“{field}” diye bir ayar yok.", "Çıkarın; orada olabilecekler: {known}."),
    "config.not-a-training-field": Wording(
        "“{field}” diye bir ayar yok.",
        "Çıkarın: transformers {version} sürümünün TrainingArguments'ında böyle bir alan yok.",
    ),
    "config.missing": Wording("“{field}” eksik.", "Ekleyin; bir yapılandırmada en az model, task ve data bulunur."),
    "config.no-source": Wording(
        "“{field}” veri adlandırmıyor.",
        "name (hazır küme), path (dosya) ve hub (Hub adı) anahtarlarından birini verin.",
    ),
    "config.two-sources": Wording("“{field}” da “{first}” da veri adlandırıyor.", "İkisinden birini bırakın."),
    "config.hub-only": Wording("“{field}” yalnız Hub verisi içindir.", "Çıkarın ya da data.hub verin."),
    "config.file-only": Wording("“{field}” yalnız kendi dosyanız içindir.", "Çıkarın ya da data.path verin."),
    "config.own-data-only": Wording(
        "“{field}” kendi dosyanız ya da Hub verisi içindir.", "Çıkarın ya da data.path veya data.hub verin."
    ),
    # ---- config: values ----
    "config.text": Wording(
        "“{field}” metin olmalı, {value} değil.", "Bir sözcük yazın; sayıya benziyorsa tırnak içine alın."
    ),
    "config.empty-text": Wording("“{field}” boş.", "Bir değer yazın ya da satırı çıkarın."),
    "config.texts": Wording("“{field}” metin listesi olmalı, {value} değil.", "[birinci, ikinci] gibi yazın."),
    "config.mapping": Wording(
        "“{field}” yalın değerlerden bir eşleme olmalı, {value} değil.", "Altına anahtar: değer yazın."
    ),
    "config.whole-number": Wording("“{field}” tam sayı olmalı, {value} değil.", "Tırnaksız rakam yazın."),
    "config.number": Wording(
        "“{field}” sayı olmalı, {value} değil.", "0.0001 ya da 1e-4 gibi, noktayla ve tırnaksız yazın."
    ),
    "config.true-or-false": Wording("“{field}” true ya da false olmalı, {value} değil.", "İkisinden birini yazın."),
    "config.choice": Wording("“{field}” {value} olamaz.", "Şunlardan birini seçin: {choices}."),
    "config.at-least": Wording(
        "“{field}” en az {low} olmalı, {value} değil.", "{low} ya da daha büyük bir sayı yazın."
    ),
    "config.at-most": Wording(
        "“{field}” en çok {high} olmalı, {value} değil.", "{high} ya da daha küçük bir sayı yazın."
    ),
    "config.above-zero": Wording("“{field}” 0'dan büyük olmalı, {value} değil.", "0'dan büyük bir sayı yazın."),
    "config.below-one": Wording(
        "“{field}” 1'den küçük olmalı, {value} değil.", "0 ile 1 arasında (1 hariç) bir sayı yazın."
    ),
    "config.share-or-whole": Wording(
        "“{field}” 1'den küçük bir oran ya da tam bir güncelleme sayısı olmalı, {value} değil.", "Yuvarlayın."
    ),
    "config.max-steps": Wording(
        "“{field}” en az 1 olmalı, {value} değil.",
        "Güncelleme sayısını ya da num_train_epochs boyunca eğitmek için -1 yazın.",
    ),
    "config.two-precisions": Wording("“{field}” ile bf16 eşi birlikte açık olamaz.", "İkisinden birini bırakın."),
    "config.needs-workers": Wording(
        "“{field}” için dataloader_num_workers 0'dan büyük olmalı.", "Onu da ayarlayın ya da bunu çıkarın."
    ),
    "config.needs-evaluation": Wording(
        "“{field}” değerlendirme kaybına bakar, eval_strategy ise no.",
        "training.eval_strategy değerini steps ya da epoch yapın.",
    ),
    "config.stops-by-evaluation": Wording(
        "“{field}” değerlendirmelere göre işler, eval_strategy ise no.",
        "training.eval_strategy değerini steps ya da epoch yapın.",
    ),
    "config.bytes": Wording(
        "“{field}” bir bellek büyüklüğü olmalı, {value} değil.", "8GiB ya da 500MB gibi veya tam bayt sayısı yazın."
    ),
    "config.halving-way": Wording(
        "“{field}” mikro partiyi yarıya indirir; {way} ile bu, güncellemeyi değiştirir.",
        "Çıkarın ya da loss_normalization değerini exact yapın.",
    ),
    "config.packing-task": Wording(
        "“{field}” metinleri uç uca dizer, görev ise {task}.", "task değerini text-generation yapın ya da bunu çıkarın."
    ),
    "config.smoothing": Wording(
        "“{field}” bir sınıfı ötekilere dağıtır, etiketlerin türü ise {problem_type}.", "Çıkarın."
    ),
    "config.own-code": Wording(
        "“{field}” {value} olamaz: bir Python dosyasındaki fonksiyon ya da sınıfı adlandırır.",
        "dosya.py:ad biçiminde yazın, örneğin my_loss.py:smoothed.",
    ),
    "config.own-normalization": Wording(
        "“{field}”, kendi normalleştirmesini yapan “{key}” yanında mean-of-means olamaz.", "İkisinden birini çıkarın."
    ),
    "config.command-line-only": Wording(
        "“{field}” bir dosyadaki kodu çalıştırır; bu yüzden sayfadan ayarlanamaz.",
        "Yapılandırmayı bir dosyaya kaydedip `birikim train` ile çalıştırın.",
    ),
    "config.secret": Wording(
        "“{field}” bir erişim anahtarı ya da parola içeriyor; yapılandırma ise saklanır ve gösterilir.",
        "Çıkarın; `hf auth login` ile giriş yapın ya da HF_TOKEN'ı ayarlayın, anahtar kendiliğinden bulunur.",
    ),
    "config.freeze": Wording(
        "“{field}” {value} olamaz.", "encoder ya da [bert.embeddings.*] gibi bir kalıp listesi yazın."
    ),
    "config.freeze-lora": Wording(
        "“{field}”, modelin kendi ağırlıklarının hepsini olduğu gibi bırakan lora yanında duramaz.",
        "İkisinden birini çıkarın.",
    ),
    "config.device": Wording("“{field}” {value} olamaz.", "cpu, cuda, örneğin cuda:1, ya da mps yazın."),
    "config.device-cpu": Wording("“{field}” {value}, training.use_cpu ise CPU istiyor.", "İkisinden birini çıkarın."),
    "config.quantization-lora": Wording(
        "“{field}” ile yüklenen ağırlıklar kendileri eğitilemez.", "lora ekleyin: yanlarında adaptörler eğitilir."
    ),
    # ---- code of the user's own ----
    "code.no-file": Wording("{path} adlı Python dosyası yok.", "Yolu denetleyin; yapılandırmanın yanında aranır."),
    "code.fails": Wording(
        "{path} yüklenemiyor: {reason}.", "Dosyayı düzeltin; `python {path}` nerede olduğunu gösterir."
    ),
    "code.replaced": Wording(
        "{path} içindeki {name} kendi {method} metodunu tanımlıyor; onun yerini Birikim'in pencereler üzerindeki "
        "döngüsü alır.",
        "Metodu çıkarın; satırları data seçer, window_order dağıtır.",
    ),
    "code.raised": Wording("{path} içindeki kayıp, {line}. satırda şu hatayı verdi: {problem}.", "Orada düzeltin."),
    "code.no-name": Wording(
        "{path} içinde {name} tanımlı değil.", "Dosyanın tanımladığı bir fonksiyonun ya da sınıfın adını yazın."
    ),
    "code.not-a-function": Wording(
        "{path} içindeki {name} kayıp olarak çağrılamıyor: {reason}.",
        "def {name}(outputs, labels, num_items_in_batch) biçiminde tanımlayın.",
    ),
    "code.not-a-trainer": Wording(
        "{path} içindeki {name}, transformers.Trainer'ın alt sınıfı değil.",
        "class {name}(Trainer) yazın ve onu adlandırın.",
    ),
    "code.signature": Wording(
        "{path} içindeki {name}, {method} metodunda num_items_in_batch almıyor.",
        "transformers'ın Trainer'ındaki gibi ekleyin: {method}(…, num_items_in_batch=None).",
    ),
    "code.no-decoder": Wording(
        "Özel bir kayıp ya da etiket yumuşatma, etiketleri modelden alır; {architecture} ise onlarsız yapamaz.",
        "Çıkarın ya da başka bir model seçin.",
    ),
    # ---- config: what Birikim decides itself ----
    "config.owned-folder": Wording(
        "“{field}” ayarlanamaz: bir çalışmanın nereye yazılacağını ev klasörü belirler.",
        "Çıkarın; klasörü --home ya da BIRIKIM_HOME ile seçin.",
    ),
    "config.owned-resume": Wording(
        "“{field}” ayarlanamaz: bir çalışma kendi yerinde devam eder.",
        "Çıkarın; `birikim train CONFIG --resume RUN` çalışmanın son kontrol noktasından devam eder.",
    ),
    "config.owned-checkpoint": Wording(
        "“{field}” {value} olamaz: kontrol noktası devam etmek içindir.", "Çıkarın; yalnız model, model/ içindedir."
    ),
    "config.reports-elsewhere": Wording(
        "“{field}” sayfadan {name} olamaz: çalışmanın değerlerini başka yere gönderirdi.",
        "tensorboard seçin ya da komut satırından eğitin.",
    ),
    "config.report-to": Wording("“{field}” “{value}” olamaz.", "{choices} içinden seçin ya da all veya none yazın."),
    "config.owned-tracker": Wording(
        "“{field}” {value} olamaz: izleyicilere yalnız report_to ile haber verilir.",
        "Çıkarın; training.report_to ayarlayın.",
    ),
    "config.owned-hub": Wording(
        "“{field}” {value} olamaz: Birikim hiçbir şey yüklemez.", "Çıkarın; çalışmanın model klasörünü sonra yükleyin."
    ),
    "config.owned-processes": Wording(
        "“{field}” {value} olamaz: birden çok süreci yalnız launch söyler.",
        "Çıkarın; launch.processes ya da launch.accelerate_config verin.",
    ),
    "config.owned-loop": Wording("“{field}” {value} olamaz: çalışmayı Birikim kendisi ölçer ve gösterir.", "Çıkarın."),
    "config.owned-evaluation": Wording(
        "“{field}” {value} olamaz: Birikim, değerlendirme partisi ne olursa olsun hedefler üzerinden değerlendirir.",
        "Çıkarın.",
    ),
    "config.owned-script": Wording(
        "“{field}” {value} olamaz: ne yapılacağını komut söyler.", "Çıkarın; değerlendirmeyi eval_strategy açar."
    ),
}
