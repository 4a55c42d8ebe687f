"""What data looks like before it is trained on: its rows, columns, lengths, classes, padding and targets."""
