internal import CEaselGTK
import EaselCore
import EaselDisplay

extension PictureView {
  /// Plays a picture if it moves; of one with more pixels the player goes on where the last one was.
  func play(_ image: Image) {
    let last = player
    stopPlaying()
    guard let player = ImagePlayer(image, clock: clock) else { return }
    if let last {
      player.rate = last.rate
      player.mode = last.mode
      player.loopCount = last.loopCount
      if let frame = last.currentFrame { player.seek(toFrame: frame, finishedPlays: last.finishedPlays) }
    }
    if last?.isPaused ?? !autoplays { player.pause() }
    self.player = player
    playing = Task {
      // A picture whose frames fail stands still.
      try? await play(player, for: Self.frames)
      if self.player === player { playing = nil }
    }
    if easel_picture_is_mapped(widget) { startTicks() }
  }

  func stopPlaying() {
    playing?.cancel()
    playing = nil
    player = nil
  }
}
