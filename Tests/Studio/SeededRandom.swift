// The tests that use a studio draw numbers.
@_exported import struct EaselTestPixels.SeededRandom
