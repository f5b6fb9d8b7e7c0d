"""The campaign: founding and options, players, battles, notes and rulings."""
