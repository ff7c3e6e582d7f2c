import CEaselHEIF
import EaselCore
import EaselFormats
import FoundationEssentials

extension HEIFCoder: DescribedCoder {
  package static let card = FormatCard(
    .heic, "heic", extensions: ["heic", "heif", "hif"], cost: FormatCost(decoding: 67, decoderBytes: (11, 7)),
    sample: Data(base64Encoded: orange).map { Array($0) },
    libraries: { [LibraryVersion("libde265", easel_heif_library_version())] })

  /// A picture of 64x64 orange pixels, encoded by x265.
  private static let orange =
    "AAAAGGZ0eXBoZWljAAAAAG1pZjFoZWljAAABMW1ldGEAAAAAAAAAIWhkbHIAAAAAAAAAAHBpY3QAAAAAAAAAAAAAAAAAAAAADnBp"
    + "dG0AAAAAAAEAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABodmMxAAAAACBpbG9jAQAAAEQAAAEAAQAAAAAAAQAAAVEAAAAe"
    + "AAAAs2lwcnAAAACUaXBjbwAAAHhodmNDAQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroC"
    + "QGEAAQArQgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbqSSmubgIaDAgAAAMAyAAAAwAIQGIAAQAHRAHBcrAiQAAAABRpc3BlAAAAAAAA"
    + "AEAAAABAAAAAF2lwbWEAAAABAAAAAQABAoABgAIAAAAmbWRhdAAAABooAa8J4CE5dV9f/Jvf//5gu8h+Lw50HMPX4A=="
}
