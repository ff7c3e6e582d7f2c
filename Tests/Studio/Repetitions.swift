/// The number of times a property is tested; fewer in debug builds, so that the suite stays fast.
package func repetitions(_ optimised: Int, inDebug debug: Int) -> Int {
  var isDebug = false
  assert(
    {
      isDebug = true
      return true
    }())
  return isDebug ? debug : optimised
}
