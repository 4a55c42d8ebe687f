"""As `engine.words.launch`."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    "launch.neither": Wording(
        "“{field}” ne süreç sayısını ne de bir dosyayı söylüyor.",
        "Oraya {{processes: 2}} ya da {{accelerate_config: kume.yaml}} yazın veya çıkarın.",
    ),
    "launch.both": Wording("Süreç sayısını hem “{field}” hem launch.processes söylüyor.", "İkisinden birini bırakın."),
    "launch.elsewhere": Wording(
        "“{field}” başkalarının da açabildiği bir sayfadan verilemez: bu makinenin bir dosyasıdır.",
        "launch.processes verin ya da komut satırından eğitin.",
    ),
    # ---- the file of accelerate ----
    "launch.no-file": Wording("`accelerate config` dosyası {path} yok.", "Yolu denetleyin."),
    "launch.unreadable": Wording("{path} okunamıyor: {reason}.", "Dosya izinlerini denetleyin."),
    "launch.no-settings": Wording(
        "{path} içinde `accelerate config` ayarları yok.", "Yeniden oluşturun: accelerate config --config_file {path}"
    ),
    "launch.syntax": Wording("{path} geçerli bir YAML değil; satır {line}, sütun {column}.", "O satırı düzeltin."),
    "launch.environment": Wording(
        "{path} içinde compute_environment {value}: programları başka yerde başlatan bir hizmet.",
        "LOCAL_MACHINE yapın; kendi makineleriniz birden çok olsa da budur.",
    ),
    "launch.own-accumulation": Wording(
        "{path} içinde distributed_type {kind}: onun motoru gradyanları kendi yöntemiyle biriktirirdi.",
        "MULTI_GPU, MULTI_CPU ya da FSDP yapın: onlarda birikim kesindir.",
    ),
    "launch.value": Wording("{path} içinde {key} {value} olamaz.", "Şunlardan birini seçin: {wanted}."),
    "launch.quotes": Wording(
        "{path} içinde {key} tırnaksız {value}; accelerate bunu false sayar.", "Tırnak içinde '{value}' yazın."
    ),
    "launch.part": Wording("{path} içinde {key} doldurulmuş; Birikim onunla eğitemez.", "O bölümü çıkarın."),
    "launch.compiled": Wording(
        "{path} içinde dynamo_backend {value}.", "'NO' yapın; modeli training.torch_compile derler."
    ),
    "launch.no-processes": Wording(
        "{path} kaç süreç olduğunu söylemiyor.", "num_processes verin: bütün makinelerdeki toplam."
    ),
    "launch.one-process": Wording(
        "{path} içinde distributed_type NO, num_processes ise {processes}.",
        "distributed_type'ı MULTI_GPU ya da MULTI_CPU, veya num_processes'i 1 yapın.",
    ),
    "launch.machines": Wording(
        "{path} içinde num_processes {processes}; {machines} makineye eşit bölünmüyor.",
        "num_machines'in bir katı yapın.",
    ),
    "launch.fsdp-version": Wording(
        "{path} FSDP'nin ilk sürümünü istiyor; onda bir pencerenin toplamı kesin değildir.",
        "fsdp_config altında fsdp_version: 2 yapın.",
    ),
    # ---- the file beside the config ----
    "launch.precision": Wording(
        "{path} içinde mixed_precision {value}, yapılandırmada ise {ours}.",
        "training.{value}: true yapın ya da mixed_precision'ı 'no'.",
    ),
    "launch.accumulation": Wording(
        "{path} içinde gradient_accumulation_steps {value}, yapılandırmada ise {ours}.",
        "Oradan çıkarın; bunu training.gradient_accumulation_steps söyler.",
    ),
    "launch.cpu": Wording(
        "{path} süreçleri CPU'da çalıştırıyor, device ise {value}.", "device'ı çıkarın ya da cpu yapın."
    ),
    "launch.not-first": Wording(
        "{path} {machine} numaralı makinenin dosyası; çalışmayı ise 0 numaralı makine yönetir ve anlatır.",
        "Çalışmayı orada başlatın, burada ise: accelerate launch --config_file {path} --module engine train CONFIG",
    ),
    # ---- started by hand ----
    "launch.half-started": Wording(
        "Ortam {size} süreçten söz ediyor (WORLD_SIZE), ama {missing} verilmemiş.",
        "WORLD_SIZE'ı kaldırın ya da süreçleri accelerate launch veya torchrun ile başlatın.",
    ),
    "launch.other-number": Wording(
        "“{field}” {value}, oysa {processes} süreç başlatıldı.",
        "Yapılandırmanın söylediği kadar süreç başlatın ya da anahtarı çıkarın.",
    ),
    # ---- while they train ----
    "run.one-gpu": Wording(
        "Bu çalışma buradaki {gpus} GPU'dan yalnızca birini kullanıyor: {device}.",
        "Birkaçıyla eğitmek için launch.processes değerini verin.",
    ),
    "launch.other-config": Wording(
        "İki süreçten farklı şeyleri eğitmesi istendi.",
        "Her makineye aynı yapılandırmayı ve aynı --set değerlerini verin.",
    ),
    "launch.failed": Wording("{rank}. süreç başarısız oldu: {message}", "{remedy}"),
    "launch.gone": Wording(
        "{rank}. süreç yok oldu: öldürüldü ya da makinesine ulaşılamıyor.",
        "Son sözlerini çalışmanın processes.log dosyasında arayın, sonra çalışmayı son kontrol noktasından sürdürün.",
    ),
    "launch.hangs": Wording(
        "{rank}. süreç ötekileri {seconds} saniye bekletti.",
        "Onu neyin oyaladığına bakın ya da training.ddp_timeout değerini yükseltin, sonra çalışmayı son kontrol "
        "noktasından sürdürün.",
    ),
    "launch.broken": Wording(
        "Süreçler birbirini yitirdi: {problem}.",
        "Aralarındaki ağı denetleyin, sonra çalışmayı son kontrol noktasından sürdürün.",
    ),
    "launch.ended": Wording(
        "{rank}. süreç şöyle bitti: {how}.",
        "Son sözleri {log} dosyasında. Çalışmayı son kontrol noktasından sürdürün.",
    ),
    "launch.lost": Wording(
        "Süreçleri başlatan program şöyle bitti: {how}; süreçler de onunla.",
        "Son sözleri {log} dosyasında. Çalışmayı son kontrol noktasından sürdürün.",
    ),
    "launch.not-started": Wording("Süreçler eğitime başlayamadı: {problem}.", "Fazlası {log} dosyasında."),
    "launch.no-layout": Wording(
        "accelerate, {name} modelini parçalara ayıramıyor: {problem}.",
        "Dosyada bloklarını fsdp_transformer_layer_cls_to_wrap ile adlandırın ya da FSDP olmadan eğitin.",
    ),
    "launch.sharded": Wording(
        "“{field}” için ağırlıkların bütünü tek süreçte olmalı, FSDP ise onları parçalara ayırır.",
        "Çıkarın ya da FSDP olmadan eğitin.",
    ),
    # ---- what several processes can't have ----
    "launch.halves": Wording(
        "“{field}” tek sürecin mikro partisini yarıya böler, burada ise {processes} süreç var.",
        "Çıkarın; sığan en büyük mikro partiyi `birikim fit` bulur.",
    ),
    "launch.one-device": Wording(
        "“{field}” {value}: her birine bir GPU gereken {processes} süreç için tek GPU.",
        "Her sürece kendi GPU'sunu veren cuda yapın ya da cpu.",
    ),
    "launch.mps": Wording(
        "{processes} süreç bir Mac'in GPU'sunu paylaşamaz.", "device'ı cpu ya da launch.processes'i 1 yapın."
    ),
    "launch.too-few-gpus": Wording(
        "Bu makinede {processes} sürecin her birine bir GPU gerek, makinede ise {gpus} tane var.",
        "“{field}” değerini {gpus} ya da daha az, veya device'ı cpu yapın.",
    ),
}
