import CEaselJPEG2000
import EaselCore
import EaselFormats
import FoundationEssentials

extension JPEG2000Coder: DescribedCoder {
  package static let card = FormatCard(
    .jp2, "jp2", extensions: ["jp2", "jpx", "jpf"], decodesRegions: true, cost: cost,
    sample: Data(base64Encoded: steps).map { Array($0) },
    libraries: { [LibraryVersion("OpenJPEG", easel_jpeg2000_library_version())] })

  package static let streamCard = FormatCard(
    .j2c, "j2c", extensions: ["j2c", "j2k", "jpc"], decodesRegions: true, cost: cost,
    // The codestream begins after the boxes of this file.
    sample: Data(base64Encoded: steps).map { Array($0.dropFirst(85)) })

  package var cards: [FormatCard] { [Self.card, Self.streamCard] }

  /// While they are decoded, samples are words of 32 bits.
  private static let cost = FormatCost(decoding: 100, decoderBytes: (20, 16))

  /// A picture of 16x12 pixels, written by Pillow, that become redder to the right and greener to the bottom.
  private static let steps =
    "AAAADGpQICANCocKAAAAFGZ0eXBqcDIgAAAAAGpwMiAAAAAtanAyaAAAABZpaGRyAAAADAAAABAAAwcHAAAAAAAPY29scgEAAAAAABAA"
    + "AADWanAyY/9P/1EALwAAAAAAEAAAAAwAAAAAAAAAAAAAABAAAAAMAAAAAAAAAAAAAwcBAQcBAQcBAf9SAAwAAAABAAMEBAAB/1wADUBA"
    + "SEhQSEhQSEhQ/2QAJQABQ3JlYXRlZCBieSBPcGVuSlBFRyB2ZXJzaW9uIDIuNS40/5AACgAAAAAAVQAB/5PfgCAJVu+734AoBpFbOY/P"
    + "tAgIkMfaBgANAgWgPhDACP9/gMPqBAAb9KULofUCAAy/MEuAwfOEADadKJ+g+cMAQI4Av5B3gP/Z"
}
