import Testing

@testable import EaselCoding

struct FrameDelayTests {
  @Test(arguments: [(0, 100), (1, 100), (10, 100), (11, 11), (20, 20), (100, 100), (5000, 5000)])
  func delaysUnderElevenMillisecondsBecomeAHundred(stored: Int, effective: Int) {
    #expect(FrameDelay.effective(.milliseconds(stored)) == .milliseconds(effective))
  }

  @Test func whatIsJustUnderElevenMillisecondsBecomesAHundredToo() {
    #expect(FrameDelay.effective(.microseconds(10_999)) == .milliseconds(100))
  }
}
