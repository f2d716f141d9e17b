"""The words that every room speaks."""
