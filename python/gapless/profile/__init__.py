"""What a program's datatypes cost it: it runs watched, and what the ranks wrote becomes a page, a table and JSON."""
