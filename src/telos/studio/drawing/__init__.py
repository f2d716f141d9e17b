"""How worlds look: shapes in plain data, drawn by one painter in the browser."""
