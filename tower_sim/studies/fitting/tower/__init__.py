"""The law of a tower: which cubes come out in a drop, and after a knock."""
