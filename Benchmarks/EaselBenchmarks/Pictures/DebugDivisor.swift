/// The divisor of the sides of large pictures in a debug build, which only checks that cases work.
let debugDivisor = _isDebugAssertConfiguration() ? 8 : 1
