"""The proof: an accumulated gradient against the gradient of the large batch, on the model itself."""
