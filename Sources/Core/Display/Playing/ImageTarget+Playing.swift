extension ImageTarget {
  /// Shows the frames of a player as they become due, until the end or the cancellation of the task.
  ///
  /// It also stops when the target starts another load under the same key.
  public func play(_ player: ImagePlayer, for key: String = "") async throws {
    let turn = imageLoads.latestTurn(for: key)
    for try await frame in player {
      guard await show(Image(frame.bitmap), ifStill: turn, for: key, isolation: imageExecutor) else { return }
    }
  }

  private func show(
    _ image: Image, ifStill turn: UInt64?, for key: String, isolation: isolated any Actor
  ) async -> Bool {
    guard imageLoads.latestTurn(for: key) == turn else { return false }
    await show(image, for: key)
    return true
  }
}
