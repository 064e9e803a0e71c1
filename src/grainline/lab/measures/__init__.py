"""One file per measure, printed as ir_measures prints it (R is recall) and parsed back."""
