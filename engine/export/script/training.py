"""The part of a script that trains: the Trainer's subclass, and what is printed."""

from __future__ import annotations

from engine.export.script.collating import _decoder
from engine.export.script.measuring import evaluation
from engine.export.script.recipe import Recipe


def trainer(recipe: Recipe) -> str:
    kind = recipe.own["own_trainer"][1] if "own_trainer" in recipe.own else "Trainer"
    return "\n\n".join(
        [
            _HEAD.format(kind=kind, about=_about(recipe)).strip(),
            *_steps(recipe),
            *([evaluation(recipe, _items(recipe))] if recipe.evaluates else []),
        ]
    ).rstrip()


def telling(recipe: Recipe) -> str:
    stop = (
        f"""

    def on_step_end(self, args, state, control, **more):
        # the run ended here, before its plan of {recipe.prepared.plan.updates_total} updates
        control.should_training_stop = control.should_training_stop or state.global_step == {len(recipe.losses)}"""
        if recipe.stops_early
        else ""
    )
    return f'''
class Tell(TrainerCallback):
    """Prints what happens, and keeps the losses."""

    def __init__(self):
        self.losses = []

    def on_log(self, args, state, control, logs=None, **more):
        if "loss" in logs:
            self.losses.append(logs["loss"])
        if "loss" in logs or "eval_loss" in logs:
            print(json.dumps({{"update": state.global_step, **logs}}), flush=True){stop}


def furthest(found, expected):
    """The largest relative difference between two lists of losses."""
    pairs = [(ours, run) for ours, run in zip(found, expected) if run is not None]
    return max((abs(ours - run) / max(abs(run), 1e-12) for ours, run in pairs), default=0.0)
'''.strip()


def main(recipe: Recipe, *, notebook: bool) -> str:
    decoder = _decoder(recipe)
    lines = [
        'if int(os.environ.get("WORLD_SIZE", "1")) > 1:',
        f'    raise SystemExit("{_one_process(recipe)}: a second one would make another batch of it.")',
        "model = load_model()",
        "tell = Tell()",
        'tokenizer = AutoTokenizer.from_pretrained(HERE / "initial")',
        "set_seed(SEED)",
        "trainer = ExactTrainer(",
        "    model=model,",
        "    args=arguments(),",
        '    train_dataset=Rows("rows.jsonl"),',
        *(['    eval_dataset=Rows("evaluation.jsonl"),'] if recipe.evaluates else []),
        f"    data_collator={'Window(model)' if decoder else 'Window()'},",
        "    processing_class=tokenizer,",
        *([f"    compute_loss_func={_loss_function(recipe)},"] if recipe.config.loss else []),
        "    callbacks=[tell],",
        ")",
        "trainer.remove_callback(PrinterCallback)",
        *(["attend_by_rows(model)"] if recipe.config.packing and _patched(recipe) else []),
        "trainer.train()",
    ]
    if recipe.evaluates:
        lines += [
            "if trainer.evaluated_at != trainer.state.global_step:",
            "    trainer.evaluate()",
        ]
    lines += [
        'trainer.save_model(str(HERE / "model"))',
        'expected = json.loads((HERE / "losses.json").read_text(encoding="utf-8"))',
        "result = {",
        '    "updates": trainer.state.global_step,',
        '    "train_loss": sum(tell.losses) / len(tell.losses),',
        '    f"largest_difference_from_run_{RUN}": furthest(tell.losses, expected),',
        "}",
        "print(json.dumps(result), flush=True)",
    ]
    if notebook:
        return "\n".join(lines)
    return "\n".join(
        ["def main():", *(f"    {line}" for line in lines), "", "", 'if __name__ == "__main__":', "    main()"]
    )


def _one_process(recipe: Recipe) -> str:
    if recipe.processes == 1:
        return "The run had one process"
    return f"This does the work of all {recipe.processes} processes of the run"


def _patched(recipe: Recipe) -> bool:
    from engine.models.rows_attention import NAME

    return bool(recipe.prepared.trainer.model.config._attn_implementation == NAME)


_HEAD = '''
class ExactTrainer({kind}):
    """The stock Trainer, whose batch is the window of one update. It runs the micro-batches one after another.

{about}
    """
'''

_EXACT = """    The loss of a window is the mean over all its targets. A model returns the mean over the targets of one
    micro-batch. Weighted by targets in the micro-batch / targets in the window, these means add up to the window's
    mean, and their gradients to the gradient of one large batch. Dividing by the number of micro-batches in place of
    that would give micro-batches with few targets too much weight."""

_MEANS = """    Each micro-batch's mean counts alike, however few its targets: a mean of means, which is not the
    gradient of one large batch. The run was set so (loss_normalization: mean-of-means)."""

_STOCK = """    Weights are left to the stock Trainer (loss_normalization: trainer): the model is told how many items
    the window holds; where it takes no such number, the loss is divided by the number of micro-batches or by
    nothing."""

_OWN = """    The loss is one's own. It is told how many items the window holds (num_items_in_batch), as transformers
    documents it."""


def _about(recipe: Recipe) -> str:
    if recipe.prepared.trainer.documented:
        return _OWN
    return {"exact": _EXACT, "mean-of-means": _MEANS, "trainer": _STOCK}[recipe.config.loss_normalization]


def _steps(recipe: Recipe) -> list[str]:
    trainer = recipe.prepared.trainer
    if trainer.documented or recipe.config.loss_normalization == "trainer":
        return [_given_items(recipe)]
    weight = "count / total" if recipe.config.loss_normalization == "exact" else '1 / len(window["targets"])'
    total = '        total = sum(window["targets"])\n' if recipe.config.loss_normalization == "exact" else ""
    return [
        f'''    loss_is_scaled_for_ga = True  # by the weights: the Trainer divides nothing more
    weight = None  # of the micro-batch under way

    def training_step(self, model, window, num_items_in_batch=None):
        """Adds up the gradient of a window; returns its loss."""
{total}        loss = torch.zeros((), device=self.args.device)
        for batch, count in zip(window["micro_batches"], window["targets"]):
            if count:  # a mean over no target is no number, and has nothing to add
                self.weight = {weight}
                loss += super().training_step(model, batch)
        self.weight = None
        return loss''',
        '''    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        """The model's own mean; inside a window multiplied by the micro-batch's weight."""
        loss, outputs = super().compute_loss(model, inputs, return_outputs=True)
        if self.weight is not None:
            loss = loss * self.weight
        return (loss, outputs) if return_outputs else loss''',
    ]


def _given_items(recipe: Recipe) -> str:
    trainer = recipe.prepared.trainer
    scaled = ""
    if recipe.config.loss and trainer.loss_is_scaled_for_ga is False:
        scaled = (
            "    loss_is_scaled_for_ga = False  # it is a mean: the Trainer divides by the number of micro-batches\n\n"
        )
    if trainer.documented:
        counted = f'sum({_items(recipe)} for batch in window["micro_batches"])'
        items = f"torch.tensor({counted}, device=self.args.device)"
    else:
        items = 'self._get_num_items_in_batch(window["micro_batches"], self.args.device)'
    return f'''{scaled}    def training_step(self, model, window, num_items_in_batch=None):
        """Adds up the gradient of a window; returns its loss."""
        items = {items}
        self.current_gradient_accumulation_steps = len(window["micro_batches"])
        loss = torch.zeros((), device=self.args.device)
        for batch, count in zip(window["micro_batches"], window["targets"]):
            if count:
                loss += super().training_step(model, batch, items)
        return loss'''


def _items(recipe: Recipe) -> str:
    """How many labels of a batch are items: several numbers a row are several, though one target."""
    labels = 'batch["labels"][..., 1:]' if recipe.prepared.shifts else 'batch["labels"]'
    return f"int(({labels} != IGNORED).sum())"


def _loss_function(recipe: Recipe) -> str:
    name = recipe.own["own_loss"][1]
    if recipe.prepared.trainer.loss_is_scaled_for_ga is False:
        return f"lambda outputs, labels, num_items_in_batch=None: {name}(outputs, labels)"
    return name
