/// How often a property is tried: fewer times where the code is not optimised, so that the suite stays fast.
func repetitions(_ optimised: Int, inDebug debug: Int) -> Int {
  var isDebug = false
  assert(
    {
      isDebug = true
      return true
    }())
  return isDebug ? debug : optimised
}
