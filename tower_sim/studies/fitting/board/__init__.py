"""The law of a combat ship's board: where thrown cubes land, and which cubes they displace."""
