"""What the experiments share that send one layout in many ways: schemes, vectors, making types, advice."""
