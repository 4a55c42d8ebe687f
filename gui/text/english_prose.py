"""The nine lessons in English, a part of `gui.text.english_lessons`.

A text is paragraphs between empty lines. Lines that begin with `- ` are a list, a paragraph all in backticks is a
formula. Within a line backticks mark what is typed, and asterisks what is stressed.
"""

from __future__ import annotations

PROSE: dict[str, str] = {
    # 1
    "lesson.why.text": """\
Training has two batch sizes. The *effective batch* is what one update averages over. It decides how noisy the \
update is, and you choose it for learning. The *micro-batch* is what goes through the model at once. It decides how \
much memory that takes, and the device chooses it for you.

What grows with the micro-batch are the *activations*: all that the forward pass keeps for the backward pass. \
Weights, gradients and optimizer state are as large for one row as for a hundred.

`peak ≈ weights + gradients + optimizer state + micro-batch × activations of a row`

Accumulation takes the two sizes apart. Run a micro-batch forward and backward and leave its gradient where it is; \
the next one adds its own. Its activations are freed before the next ones come, so memory never holds more than one \
micro-batch of them. After the last micro-batch of the window: one update, and the gradients are zeroed.

The price is time, not quality. The update is the same (lesson 2), and it does not come sooner (lesson 5).""",
    "lesson.why.question": (
        "The effective batch stays as it is, and the micro-batch is halved. What will happen to the peak memory of a "
        "window?"
    ),
    "lesson.why.answer.1": "It is halved.",
    "lesson.why.because.1": (
        "Only if there were nothing but activations. Weights, gradients and optimizer state do not depend on the "
        "rows: they are a floor that no micro-batch gets below."
    ),
    "lesson.why.answer.2": "Its activations are halved; the rest stays.",
    "lesson.why.because.2": (
        "What the forward pass keeps, it keeps row by row: half the rows, half of it. The rest belongs to the "
        "parameters, and there are as many of those as before."
    ),
    "lesson.why.answer.3": "It stays: an update still works on all the rows.",
    "lesson.why.because.3": (
        "On all of them, but never at the same time. What a micro-batch has kept is freed by its own backward pass, "
        "before the next one begins."
    ),
    "lesson.why.answer.4": "It grows: there are more gradients to keep.",
    "lesson.why.because.4": (
        "Every backward pass adds to one and the same buffer, one number for each parameter. There is a grain of "
        "truth in it: from the second micro-batch on, that buffer already stands there while the activations pile up."
    ),
    "lesson.why.reading": """\
Ott, Edunov, Grangier, Auli 2018: “Scaling Neural Machine Translation”
Accelerate documentation: “Performing gradient accumulation with Accelerate”
Transformers documentation: “Model training anatomy”""",
    # 2
    "lesson.same-update.text": """\
The gradient of a sum is the sum of the gradients. Accumulation rests on nothing else. The loss of a window is a sum \
over its targets, divided by how many there are; so its gradient can be gathered piece by piece, in any order.

`∇L = Σₖ (nₖ / N) · ∇Lₖ`

Micro-batch k holds nₖ of the window's N targets, and Lₖ is the mean loss over its own. Weighted like this, four \
micro-batches of 8 rows give the gradient of one batch of 32. Not one like it: *the same one*.

Two things must hold. No row may look at the others: batch normalisation does, because its mean and variance are the \
micro-batch's; layer normalisation does not. And chance must be the same: dropout draws other masks when the rows \
are dealt otherwise, so that two real runs agree on average. The proof sets every dropout to 0.

What remains is rounding. The numbers are added in another order, and fp32 carries about seven digits.""",
    "lesson.same-update.question": (
        "The same rows, once as one large batch and once as micro-batches. How far will the two gradients be apart in "
        "fp32, relative to their length?"
    ),
    "lesson.same-update.answer.1": "Not at all: they agree to the last bit.",
    "lesson.same-update.because.1": (
        "On paper, yes. In floating point (a + b) + c and a + (b + c) may round differently, and matrices of another "
        "shape are added up in another order."
    ),
    "lesson.same-update.answer.2": "By about 1e-7, which is rounding.",
    "lesson.same-update.because.2": (
        "fp32 rounds each result by up to 6e-8 of its size, and sums in another order drift apart by a few of those. "
        "In fp64 the distance falls to about 1e-16: so it really is rounding."
    ),
    "lesson.same-update.answer.3": "By about 1 %: small batches are noisier.",
    "lesson.same-update.because.3": (
        "The noise lies in *which* rows are drawn, not in how they are dealt. A micro-batch alone is noisy; the "
        "window sums over the same rows either way."
    ),
    "lesson.same-update.answer.4": "By a factor, the number of micro-batches.",
    "lesson.same-update.because.4": (
        "That is what comes out when nobody divides by the window's count: a real and common fault, see lesson 9."
    ),
    "lesson.same-update.reading": """\
Goldberg 1991: “What Every Computer Scientist Should Know About Floating-Point Arithmetic”
Ioffe, Szegedy 2015: “Batch Normalization: Accelerating Deep Network Training by Reducing Internal Covariate Shift”
Hoffer, Hubara, Soudry 2017: “Train longer, generalize better” (ghost batch normalisation)""",
    # 3
    "lesson.scaling-trap.text": """\
The forward pass of a micro-batch returns the mean over *its own* targets. It is tempting to divide each of these \
means by the number of micro-batches and add them up. That is right only where all micro-batches hold equally many \
targets. Take two that do not: 3 targets of loss 2.0, and 9 of loss 1.0.

`mean over targets = (3 · 2.0 + 9 · 1.0) / 12 = 1.25
mean of means = (2.0 + 1.0) / 2 = 1.50`

The mean of means gives the three as much say as the nine: each of the three counts three times as much as one of \
the nine.

In classification each row is one target, and full micro-batches never fall into the trap. In language modelling and \
token classification rows are uneven, and a target in a micro-batch of short rows outweighs one among long rows, in \
every window anew.

The cure is one number. Count the targets of the whole window *first*; then weigh each micro-batch's mean by nₖ / N.""",
    "lesson.scaling-trap.question": (
        "The rows are uneven, and the losses are averaged as a mean of means. How will that gradient compare with the "
        "exact one?"
    ),
    "lesson.scaling-trap.answer.1": "The same, but for rounding.",
    "lesson.scaling-trap.because.1": (
        "That needs equally many targets in every micro-batch, and uneven rows are just what breaks it."
    ),
    "lesson.scaling-trap.answer.2": "Longer by a fixed factor: a smaller learning rate makes up for it.",
    "lesson.scaling-trap.because.2": (
        "A fixed factor comes of not dividing at all (lesson 9). Here each micro-batch is off by a factor of its own, "
        "N / (n · nₖ): some count for too much, others for too little."
    ),
    "lesson.scaling-trap.answer.3": "It points elsewhere: no learning rate makes up for it.",
    "lesson.scaling-trap.because.3": (
        "Micro-batches with few targets have too much say, those with many too little. The direction changes, and the "
        "loss in the log is no longer the one that you mean."
    ),
    "lesson.scaling-trap.answer.4": "Noisier, but right on average.",
    "lesson.scaling-trap.because.4": (
        "It is a bias and no noise: targets among short rows weigh more in every window. More windows do not average "
        "that away."
    ),
    "lesson.scaling-trap.reading": """\
Hugging Face blog 2024: “Fixing Gradient Accumulation”
Unsloth blog 2024: “Bugs in LLM Training – Gradient Accumulation Fix”""",
    # 4
    "lesson.targets.text": """\
A *target* is one prediction that the loss compares with a label. The window's loss is divided by their number, so \
whoever miscounts them gives the update the wrong length.

- *Causal language model*: each position predicts the next token. The first label of a row has nothing before it, \
and is no target.
- *Masked language model*: only the masked tokens. *Token classification*: each labelled token. No shift.
- *Sequence to sequence*: every label of the answer; what is shifted is the decoder's input.
- *Classification* of whole rows: one a row.
- The label −100 never counts: padding, or a prompt that is not to be learned.
- *Packing* lays rows end to end. The first token of each must not be predicted from the row before, and is no \
target.

`causal: targets = labels[1:] that are not −100`

Whether a head shifts does not follow from its name. GPT-2's does, and yet the stock Trainer counts its labels \
unshifted. Birikim tries it out: it gives the loss one single label, at position 0. If no target is left, the head \
shifts.""",
    "lesson.targets.question": (
        "Two rows of labels: `5 6 7 8 9` and `5 6 −100 −100 −100`. How many targets will a causal language model find?"
    ),
    "lesson.targets.answer.1": "10, one a position.",
    "lesson.targets.because.1": "Padding carries the label −100, and that never counts.",
    "lesson.targets.answer.2": "7, all labels that are not −100.",
    "lesson.targets.because.2": (
        "Right for masked language models, token classification and sequence to sequence, which do not shift their "
        "labels. It is also what the stock Trainer counts for GPT-2, and divides by."
    ),
    "lesson.targets.answer.3": "5: four and one.",
    "lesson.targets.because.3": (
        "The first label of each row has no token before it from which it could be predicted. In the experiment too, "
        "the causal head has one target a row less than it has labels."
    ),
    "lesson.targets.answer.4": "2, one a row.",
    "lesson.targets.because.4": "So a head would count that classifies whole rows.",
    "lesson.targets.reading": """\
Devlin, Chang, Lee, Toutanova 2019: “BERT: Pre-training of Deep Bidirectional Transformers for Language \
Understanding”
Krell, Kosec, Perez, Fitzgibbon 2021: “Efficient Sequence Packing without Cross-contamination”
Hugging Face blog 2024: “Improving Hugging Face Training Efficiency Through Packing with Flash Attention 2”""",
    # 5
    "lesson.not-faster.text": """\
Every plan of a window does the same arithmetic: the same rows forward and backward, then one update. Plans differ \
in how many calls the work is cut into, and every call has a cost of its own: the Python around it, the start of \
each kernel, one pass over all the weights.

`seconds an update ≈ steps × (cost of a call + micro-batch × seconds a row) + step of the optimizer`

1 × 32 pays for the call 32 times, and its matrices are so small that the device is half idle. Towards large \
micro-batches the gain levels off, as soon as the device has enough to do. On a CPU it may even turn: the \
activations outgrow its caches, and more rows side by side bring more padding.

So accumulation buys memory and pays in time, sometimes little, sometimes a lot. In practice: take the largest \
micro-batch that fits with some room to spare, and let the steps make up the effective batch.

Between several devices it does save time: they need to exchange gradients once a window, not once a micro-batch.""",
    "lesson.not-faster.question": (
        "32 × 1, 16 × 2 and so on down to 1 × 32: the same 32 rows an update, the same number of updates. Which plan "
        "will be slowest?"
    ),
    "lesson.not-faster.answer.1": "32 × 1: it is the heaviest.",
    "lesson.not-faster.because.1": (
        "Heaviest in memory. But all its rows share one call, so that each of them costs little time."
    ),
    "lesson.not-faster.answer.2": "None: the arithmetic is the same.",
    "lesson.not-faster.because.2": (
        "The arithmetic is, the calls are not. 32 calls in place of one go over the weights 32 times and start every "
        "kernel 32 times."
    ),
    "lesson.not-faster.answer.3": "1 × 32: it makes the most calls.",
    "lesson.not-faster.because.3": (
        "The cost of a call is paid 32 times for one update. That is the time which accumulation gives for memory."
    ),
    "lesson.not-faster.reading": """\
Ott, Edunov, Grangier, Auli 2018: “Scaling Neural Machine Translation”
Williams, Waterman, Patterson 2009: “Roofline: An Insightful Visual Performance Model for Multicore Architectures”
PyTorch documentation: `DistributedDataParallel.no_sync`""",
    # 6
    "lesson.tail.text": """\
Rows seldom divide evenly. Ten rows, micro-batch 1, 4 accumulation steps: the windows of an epoch hold 4, 4 and 2. \
The last is the *tail window*. It ends with the epoch, and borrows nothing from the next.

`updates an epoch = ⌈⌈rows / micro-batch⌉ / steps⌉ = ⌈10 / 4⌉ = 3`

Its gradient must be divided by the targets that it *does* hold. A loop that always divides by 4 takes half a step \
there. Rightly divided it is a whole step, on the average of two rows only: noisier than the others, at the same \
learning rate.

The schedule counts *updates*, never micro-batches. Over 6 updates a linear one comes down from 1e-3 in six stairs: \
1e-3, 8.33e-4, 6.67e-4, 5e-4, 3.33e-4, 1.67e-4. With four times the steps an epoch has about a quarter of the \
updates. A warm-up of 100 updates then takes four times as many rows, perhaps the whole run. So think of a warm-up \
as a share of the run, and read the arithmetic under the form before you press Start.""",
    "lesson.tail.question": (
        "42 rows, micro-batch 4, 4 accumulation steps, three epochs. How many updates will there be?"
    ),
    "lesson.tail.answer.1": "6: two full windows an epoch, the rest is dropped.",
    "lesson.tail.because.1": (
        "The rest is ten rows to learn from, and they get an update of their own. (`dataloader_drop_last` drops an "
        "incomplete *micro-batch*, here two rows, which is something else: see the third run.)"
    ),
    "lesson.tail.answer.2": "8: 126 rows, 16 at a time.",
    "lesson.tail.because.2": "That would need windows which run on into the next epoch. They end with theirs.",
    "lesson.tail.answer.3": "9: three an epoch, the last of them short.",
    "lesson.tail.because.3": (
        "⌈42 / 4⌉ = 11 micro-batches an epoch, ⌈11 / 4⌉ = 3 windows: of 16, 16 and 10 rows. Three times that is 9."
    ),
    "lesson.tail.answer.4": "33: one a micro-batch.",
    "lesson.tail.because.4": (
        "There are 33 micro-batches. Each adds its gradient, and only after the last of a window comes an update."
    ),
    "lesson.tail.reading": """\
Goyal et al. 2017: “Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour” (gradual warm-up)
Vaswani et al. 2017: “Attention Is All You Need” (a schedule with warm-up)
Transformers documentation: “Trainer” and “Optimization”""",
    # 7
    "lesson.learning-rate.text": """\
Put 64 rows into an update in place of 8: each averages over eight times as many, and its noise falls by √8, to \
about a third. But the same data now hold an eighth of the updates. Should each step be longer?

- *None*: the learning rate stays. Safe, and slow for each row.
- *Linear*, × 8. Eight small steps of SGD come close to one of eight times the length, as long as the gradient \
hardly changes on the way; at the beginning it does, hence the warm-up.
- *Square root*, × √8: for Adam, which divides by the gradient's own size.

How far this carries is a matter of noise. The *gradient noise scale* sets the spread of the rows' gradients against \
the length of their mean:

`B = tr(Σ) / |G|²`

Far below B, twice the batch needs nearly half the updates. Far above, more rows bring next to nothing. Accumulation \
has what it takes to estimate it: micro-batches are small batches, their window is a large one, and from the squared \
norms of both follow tr(Σ) and |G|². B mostly grows during training: a guide, not a law.""",
    "lesson.learning-rate.question": (
        "The effective batch grows from 8 to 64 rows; the learning rate and the data stay. Where will the evaluation "
        "loss end, compared with the small batch?"
    ),
    "lesson.learning-rate.answer.1": "Lower: the gradient is less noisy.",
    "lesson.learning-rate.because.1": (
        "Less noisy it is. But early on it is not the noise that holds training back, it is the number of steps."
    ),
    "lesson.learning-rate.answer.2": "Alike: as many rows were seen.",
    "lesson.learning-rate.because.2": (
        "Rows do not move the weights, updates do. There are an eighth of them, and each is hardly longer than before."
    ),
    "lesson.learning-rate.answer.3": "Higher: there were an eighth of the updates.",
    "lesson.learning-rate.because.3": (
        "A step of Adam is about as long as the learning rate allows, whatever the batch. An eighth of the steps gets "
        "less far; a scaled learning rate wins some of it back, as the other curves show."
    ),
    "lesson.learning-rate.answer.4": "It diverges.",
    "lesson.learning-rate.because.4": (
        "A larger batch at the same rate is the cautious choice. What may diverge is a rate that was scaled too far."
    ),
    "lesson.learning-rate.reading": """\
McCandlish, Kaplan, Amodei et al. 2018: “An Empirical Model of Large-Batch Training”
Goyal et al. 2017: “Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour” (the linear rule)
Malladi, Lyu, Panigrahi, Arora 2022: “On the SDEs and Scaling Rules for Adaptive Gradient Algorithms” (the square \
root)
Smith, Kindermans, Ying, Le 2018: “Don't Decay the Learning Rate, Increase the Batch Size”""",
    # 8
    "lesson.memory.text": """\
In fp32 with AdamW each trained parameter takes 16 bytes before the first row comes:

`4 (weight) + 4 (gradient) + 8 (AdamW's two moments) = 16 bytes a parameter`

For 8 billion of them that is 128 GB, and accumulation does not touch it. What it bounds are the activations, and \
when a single row no longer fits, it is at its end. Then come other means, each at a price.

- *Checkpointing* keeps only what goes into each block of layers, and computes the rest again in the backward pass: \
one more forward pass, about a third more work. The gradient is the same.
- *Mixed precision* computes in bf16 or fp16. Activations shrink towards half; weights, gradients and optimizer \
state stay in fp32. The numbers are coarser, and fp16 needs its loss scaled up so that small gradients do not \
vanish.
- The floor itself falls with *LoRA* (few parameters are trained), 8-bit optimizers, or *ZeRO*, which shares it out \
among devices.

They go together: steps for the effective batch, checkpointing and mixed precision for the row.""",
    "lesson.memory.question": "The micro-batch stays, and checkpointing is switched on. What will happen?",
    "lesson.memory.answer.1": "The activations shrink, the rest stays, and there is more to compute.",
    "lesson.memory.because.1": (
        "Each block keeps its input alone; the rest is computed again when the backward pass gets there. Time is "
        "given for memory, as with accumulation, and the two add up."
    ),
    "lesson.memory.answer.2": "All parts of the memory shrink alike.",
    "lesson.memory.because.2": (
        "Weights, gradients and optimizer state do not come from the forward pass: nothing of them could be computed "
        "again."
    ),
    "lesson.memory.answer.3": "Memory shrinks, and the gradient becomes an approximation.",
    "lesson.memory.because.3": (
        "What is computed again is what was there before: from the same inputs and, for dropout, the same random state."
    ),
    "lesson.memory.answer.4": "Nothing: the backward pass needs all the activations anyway.",
    "lesson.memory.because.4": (
        "It needs them all, but not all at once. Those of one block are computed, used and freed before those of the "
        "block before it."
    ),
    "lesson.memory.reading": """\
Chen, Xu, Zhang, Guestrin 2016: “Training Deep Nets with Sublinear Memory Cost” (checkpointing)
Micikevicius et al. 2018: “Mixed Precision Training”
Hu et al. 2021: “LoRA: Low-Rank Adaptation of Large Language Models”
Rajbhandari, Rasley, Ruwase, He 2020: “ZeRO: Memory Optimizations Toward Training Trillion Parameter Models”""",
    # 9
    "lesson.stock-trainer.text": """\
The stock Trainer of `transformers` counts the window's targets, hands the number to the model as \
`num_items_in_batch`, and leaves the division to it. That the model will divide it concludes from one sign: its \
`forward` takes `**kwargs`.

Many heads take `**kwargs` and never look at that number. They return the mean over their own micro-batch, as they \
always have; the Trainer does not divide any more; so nobody does.

`gradient = ∇L₁ + ∇L₂ + … + ∇Lₙ ≈ n × the right one`

Of the heads in transformers 5.24 that Birikim builds tiny and tries, the stock Trainer is exact in 157 of 182 for \
causal language modelling, 5 of 51 for masked, 11 of 37 sequence to sequence, 1 of 125 for classification of rows \
and none of 100 for tokens.

It hides well. AdamW divides by the gradient's own size, so that a fixed factor hardly shows in its steps. But \
clipping sets in n times too early, SGD steps n times too far, and the loss in the log is n times too high. Birikim \
calls the model without the number, and weighs the means itself.""",
    "lesson.stock-trainer.question": (
        "BERT classifies rows with 4 accumulation steps in the stock Trainer. How will the gradient compare with that "
        "of one batch of all the rows?"
    ),
    "lesson.stock-trainer.answer.1": "The same: each row is one target.",
    "lesson.stock-trainer.because.1": (
        "Equal counts make a *mean* of the four means right. Here they are added, and the sum is not divided."
    ),
    "lesson.stock-trainer.answer.2": "4 times too large.",
    "lesson.stock-trainer.because.2": (
        "The head takes `**kwargs`, ignores the count and returns its mean; the Trainer believes it divided. Four "
        "means are added up."
    ),
    "lesson.stock-trainer.answer.3": "Too small.",
    "lesson.stock-trainer.because.3": (
        "That comes of dividing by too much, as with GPT-2, whose labels are counted without the shift."
    ),
    "lesson.stock-trainer.answer.4": "As long as it should be, in another direction.",
    "lesson.stock-trainer.because.4": (
        "That is the mean of means on uneven rows. Here all four parts are too large by the same factor, and the "
        "direction is right."
    ),
    "lesson.stock-trainer.reading": """\
Hugging Face blog 2024: “Fixing Gradient Accumulation”
Transformers documentation: “Trainer”
Kingma, Ba 2015: “Adam: A Method for Stochastic Optimization” (why it hides a factor)""",
}
