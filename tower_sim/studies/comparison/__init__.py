"""Comparison of house rules: two variants are played in pairs with equal seeds; a search for rules that meet a wish."""
