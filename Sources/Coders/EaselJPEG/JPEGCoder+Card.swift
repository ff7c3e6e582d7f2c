import CEaselJPEG
import EaselCore
import EaselFormats

extension JPEGCoder: DescribedCoder {
  package static let card = FormatCard(
    .jpeg, "jpeg", extensions: ["jpg", "jpeg", "jpe", "jfif"], isTrusted: true,
    cost: FormatCost(
      decoding: 2.4, encoding: { FormatCost.entry(efforts, $0.settings[.jpegEffort] ?? JPEGEffort.usual.rawValue) },
      // Of a progressive one that libjpeg-turbo reads. Of others the coder knows better.
      // The coefficients of a picture with all colours have 6 of the encoder's bytes.
      decoderBytes: (0, 3.5), encoderBytes: 8),
    libraries: { [LibraryVersion("libjpeg-turbo", easel_jpeg_library_version(), isAsked: false)] })

  /// The time by effort.
  private static let efforts: [Double] = [5, 5, 8, 14]
}
