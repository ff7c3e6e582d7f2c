import EaselCore
import FoundationEssentials

extension HEIFCoder: SandboxGuest {
  /// Decoding it fills the tables of libde265, and loads the library where that was left for later.
  public func prepareForSandbox(threadsEnd: @convention(c) () -> Bool) -> ImageBytes? {
    ImageBytes(Array(Data(base64Encoded: Self.sample) ?? Data()))
  }

  /// A picture of 64x64 orange pixels, which x265 coded.
  private static let sample =
    "AAAAGGZ0eXBoZWljAAAAAG1pZjFoZWljAAABMW1ldGEAAAAAAAAAIWhkbHIAAAAAAAAAAHBpY3QAAAAAAAAAAAAAAAAAAAAADnBp"
    + "dG0AAAAAAAEAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABodmMxAAAAACBpbG9jAQAAAEQAAAEAAQAAAAAAAQAAAVEAAAAe"
    + "AAAAs2lwcnAAAACUaXBjbwAAAHhodmNDAQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroC"
    + "QGEAAQArQgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbqSSmubgIaDAgAAAMAyAAAAwAIQGIAAQAHRAHBcrAiQAAAABRpc3BlAAAAAAAA"
    + "AEAAAABAAAAAF2lwbWEAAAABAAAAAQABAoABgAIAAAAmbWRhdAAAABooAa8J4CE5dV9f/Jvf//5gu8h+Lw50HMPX4A=="
}
