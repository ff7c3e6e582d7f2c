import CEaselCurl
import Testing

struct WakeUpTests {
  // The wait of this loop has no end of its own, while those of transfers have deadlines that would hide a lost signal.
  @Test func everySignalEndsAWaitOfTheLoop() throws {
    let wakeup = easel_wakeup_open()
    defer { easel_wakeup_close(wakeup) }
    let loop = try #require(easel_loop_create(wakeup, 4))
    defer { easel_loop_destroy(loop) }
    for _ in 0..<100 {
      easel_wakeup_signal(wakeup)
      #expect(easel_loop_run(loop, -1) == CURLM_OK)
    }
  }
}
