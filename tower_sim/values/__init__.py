"""What is thrown, what lies inside and what came of a drop: the values that every part speaks of."""
