r"""A tower to print or to cut: its boxes as one solid, in parts that fit a print bed, written as files and read back.

    boxes -> walls of a thickness -> one solid -> parts -> pegs and holes -> STL, 3MF, STEP
                                \-> panels -> fingers -> sheets of SVG
    STL -> triangles -> convex solids -> an apparatus that the core simulates

All lengths here are mm, in the apparatus's frame: z up, the table at z = 0. Only `solid` knows what joins solids.
"""
