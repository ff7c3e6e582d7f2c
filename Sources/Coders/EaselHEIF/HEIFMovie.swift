import CEaselHEIF
import EaselCoding
import EaselCore

/// Decodes the pictures of a track, which may refer to each other.
///
/// In order, each picture costs the work of one picture. Out of order, decoding restarts at the last earlier picture
/// that refers to no other.
final class HEIFMovie {
  let layout: HEIFLayout
  let geometry: HEIFGeometry
  let samples: MediaSamples
  /// The planes of the picture that was decoded last.
  private(set) var planes = easel_heif_planes()

  private let items: HEIFItems
  /// The index of each shown sample among all shown samples.
  private let frames: [Int: Int]
  private var decoder: OpaquePointer?
  /// The next sample that the decoder takes.
  private var next = 0
  private var isEnded = false
  /// The frame whose planes are in memory.
  private var current: Int?
  private var isDamaged = false

  /// The most pictures that a decoder holds: the pictures to which others may refer, and some that wait to be shown.
  private static let mostPictures = 20
  /// The most bytes that the planes of these pictures may take, not counting the first few pictures.
  private static let mostBytes = 1 << 30

  init(
    _ picture: (layout: HEIFLayout, geometry: HEIFGeometry), _ samples: MediaSamples, of items: HEIFItems
  ) {
    (layout, geometry) = picture
    self.samples = samples
    self.items = items
    frames = Dictionary(uniqueKeysWithValues: samples.shown.enumerated().map { ($1, $0) })
  }

  deinit { easel_heif_movie_destroy(decoder) }

  /// The number of frames.
  var count: Int { samples.shown.count }

  /// The approximate number of bytes that the decoder keeps between frames.
  var memoryCost: Int { 4 * bytesPerPicture }

  private var bytesPerPicture: Int {
    let sequence = layout.sequence
    return 3 * sequence.storedSize.area * (sequence.bitDepth > 8 || sequence.chromaBitDepth > 8 ? 2 : 1)
  }

  /// Decodes a frame, whose planes remain until the next call; returns true if a part of the frame is damaged.
  func decode(_ frame: Int, work: WorkContext) throws(ImageError) -> Bool {
    if current == frame { return isDamaged }
    let sample = samples.shown[frame]
    let start = samples.start(of: sample)
    // A decoder that has not passed the frame continues, unless it can restart nearer to the frame.
    var beginsHere = decoder == nil || current.map { $0 > frame } ?? true || start > next
    do throws(ImageError) {
      if beginsHere { try begin(at: start) }
      while true {
        try work.checkCancellation()
        var number: Int64 = -1
        let status = easel_heif_movie_next(decoder, &planes, &number)
        if status == EASEL_HEIF_WAITING {
          if try feed() { continue }
          guard !beginsHere else { throw .bad("HEIF", "frame \(frame) is damaged") }
          // The frame came before, because the times in the file are not in coding order.
          beginsHere = true
          try begin(at: start)
          continue
        }
        isDamaged = status == EASEL_HEIF_DAMAGED
        if !isDamaged { try HEIFBands.check(status, in: "frame \(frame)") }
        guard frames[Int(number)] == frame else { continue }
        current = frame
        return isDamaged
      }
    } catch {
      end()
      throw error
    }
  }

  private func begin(at sample: Int) throws(ImageError) {
    end()
    var form = layout.sequence.form
    let most = max(4, min(Self.mostPictures, Self.mostBytes / max(1, bytesPerPicture)))
    try HEIFBands.check(easel_heif_movie_create(&form, most, &decoder), in: "the sequence")
    next = sample
    isEnded = false
    try push(parameters: layout.cells[0].parameters)
  }

  private func end() {
    easel_heif_movie_destroy(decoder)
    (decoder, current) = (nil, nil)
  }

  /// Gives the decoder the next sample, or tells it that there are no more; returns false if it already knows that.
  private func feed() throws(ImageError) -> Bool {
    if next < samples.places.count {
      try push()
    } else if !isEnded {
      isEnded = true
      try HEIFBands.check(easel_heif_movie_end(decoder), in: "the sequence")
    } else {
      return false
    }
    return true
  }

  /// Gives the decoder the next sample, preceded by the given parameters.
  private func push(parameters: [HEVCUnit] = []) throws(ImageError) {
    let units = try parameters + items.units(ofSample: samples.places[next], layout.cells[0])
    let decoded = units.map(\.decoded)
    let status = decoded.withUnsafeBufferPointer {
      easel_heif_movie_push(decoder, $0.baseAddress, $0.count, Int64(next))
    }
    try HEIFBands.check(status, in: "picture \(next) of the sequence")
    next += 1
  }
}
