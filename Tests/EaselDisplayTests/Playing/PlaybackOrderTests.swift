import Testing

@testable import EaselDisplay

struct PlaybackOrderTests {
  private func frames(_ mode: ImagePlayer.Mode, count: Int, plays: Int, atMost limit: Int = 50) -> [Int] {
    let order = PlaybackOrder(count: count, mode: mode)
    var step: PlaybackStep? = PlaybackStep(play: 0, step: 0)
    var frames: [Int] = []
    while let now = step, frames.count < limit {
      frames.append(order.frame(at: now))
      step = order.step(after: now, of: plays)
    }
    return frames
  }

  @Test func eachModeHasItsOrder() {
    #expect(frames(.normal, count: 3, plays: 2) == [0, 1, 2, 0, 1, 2])
    #expect(frames(.reverse, count: 3, plays: 2) == [2, 1, 0, 2, 1, 0])
    #expect(frames(.bounce, count: 3, plays: 2) == [0, 1, 2, 1, 0, 1, 2, 1, 0])
    #expect(frames(.reversedBounce, count: 3, plays: 2) == [2, 1, 0, 1, 2, 1, 0, 1, 2])
  }

  @Test(arguments: [ImagePlayer.Mode.normal, .reverse, .bounce, .reversedBounce])
  func oneFrameIsShownOncePerPlay(mode: ImagePlayer.Mode) {
    #expect(frames(mode, count: 1, plays: 3) == [0, 0, 0])
  }

  @Test(arguments: [ImagePlayer.Mode.normal, .reverse, .bounce, .reversedBounce])
  func zeroPlaysAreEndless(mode: ImagePlayer.Mode) {
    #expect(frames(mode, count: 4, plays: 0, atMost: 500).count == 500)
  }

  @Test(arguments: [ImagePlayer.Mode.bounce, .reversedBounce])
  func noFrameIsShownTwiceInARow(mode: ImagePlayer.Mode) {
    let shown = frames(mode, count: 5, plays: 0, atMost: 100)
    #expect(zip(shown, shown.dropFirst()).allSatisfy { abs($0 - $1) == 1 })
  }

  @Test(arguments: [ImagePlayer.Mode.normal, .reverse, .bounce, .reversedBounce], 0..<4)
  func aStepIsFoundForEachFrame(mode: ImagePlayer.Mode, frame: Int) {
    let order = PlaybackOrder(count: 4, mode: mode)
    let step = order.step(presenter: frame, inPlay: 7)
    #expect(order.frame(at: step) == frame)
    #expect(step.play == 7)
  }
}
