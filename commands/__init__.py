"""What a person can do: the program `campaign`."""
