"""What the book says: sheets, statements, standings and histories folded from its entries."""
