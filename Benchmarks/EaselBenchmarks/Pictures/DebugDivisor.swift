/// By how much everything large is smaller, in each direction, in a debug build, where only whether cases work is of
/// interest.
let debugDivisor = _isDebugAssertConfiguration() ? 8 : 1
