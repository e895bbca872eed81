"""What was measured, for people: tables on a terminal, pages with plots, Markdown, CSV, TSV and JSON."""
