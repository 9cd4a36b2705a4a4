"""The samplers as other programs take them: packages and files in other languages, with the table put in at export."""
