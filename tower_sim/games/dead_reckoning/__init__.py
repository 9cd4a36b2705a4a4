"""Dead Reckoning: combats in the ship. What a landing means is in `combat`, how a battle goes in `battle`."""
