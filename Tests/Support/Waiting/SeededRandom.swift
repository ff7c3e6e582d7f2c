// Pictures made of numbers need it too, and their module is below this one.
@_exported import struct EaselTestPixels.SeededRandom
