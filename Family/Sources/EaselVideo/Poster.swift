import CEaselVideo
import EaselCore

/// Chooses the frame by which a film is shown.
struct Poster {
  let film: Film
  let work: WorkContext

  /// The seconds at which frames are looked at.
  private static let places = [0, 0.5, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89]

  /// Moves to the first frame that shows something; if none does, to the one with most contrast.
  func choose() throws {
    var best = (seconds: 0.0, contrast: -1.0)
    for seconds in Self.places where seconds == 0 || seconds < film.seconds {
      guard let looks = try looks(at: seconds) else { continue }
      let isGood = try looks.shows && !isFading(looks)
      // Looking for a fade goes on to later frames.
      if isGood { return try film.move(to: seconds, work: work) }
      if looks.deviation > best.contrast { best = (seconds, looks.deviation) }
    }
    try film.move(to: best.seconds, work: work)
  }

  /// The looks of the frame at a time; nil if there is none.
  private func looks(at seconds: Double) throws -> easel_video_looks? {
    do {
      try film.move(to: seconds, work: work)
      return try film.look()
    } catch let error as ImageError where error.code == .badImageData && seconds > 0 {
      return nil
    }
  }

  /// True if the brightness of the next frames changes steadily.
  private func isFading(_ looks: easel_video_looks) throws -> Bool {
    var means = [looks.mean]
    for _ in 0..<5 {
      guard (try? film.advance(work)) != nil else { return false }
      means.append(try film.look().mean)
    }
    let steps = zip(means, means.dropFirst()).map { $1 - $0 }
    return steps.allSatisfy { $0 > 1 } || steps.allSatisfy { $0 < -1 }
  }
}

extension easel_video_looks {
  /// True if the frame is not almost of one colour, and has edges.
  fileprivate var shows: Bool { deviation > 12 && sharpness > 1.5 && mean > 12 && mean < 245 }
}
