import FoundationEssentials

/// Coded pictures of 64x64 pixels, which x265 wrote: the parameters for the decoder, and the slices.
struct CodedPicture {
  let parameters: [UInt8]
  let slices: [UInt8]

  private init(_ parameters: String, _ slices: String) {
    self.parameters = Array(Data(base64Encoded: parameters)!)
    self.slices = Array(Data(base64Encoded: slices)!)
  }

  /// Red, green, blue and light grey in a quarter each, in 4:2:0.
  static let quarters = CodedPicture(
    "AQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQGEAAQArQgEBA3AAAAMAkAAAAwAAAwAe"
      + "oCCBBZbqSSmubgIaDAgAAAMAyAAAAwAIQGIAAQAHRAHBcrAiQA==",
    "AAAAPCgBrwngITl1X//8UD///GI3IfwcVWeefoyvZ/44Hf/9IMHCf/5eEQH8+Clf/IyfMj//CcU6fXGki+5TJg==")

  /// The same in 4:2:2.
  static let quartersHalfWidth = CodedPicture(
    "AQQIAAAAnTgAAAAAHvAA/P74+AAADwNgAAEAF0ABDAH//wQIAAADAJ04AAADAAAeugJAYQABACpCAQEECAAAAwCdOAAAAwAAHrAg"
      + "gQWW6kkprm4CGgwIAAADAMgAAAMACEBiAAEAB0QBwXKwIkA=",
    "AAAAPigBrwngIWq+7P//nHa//5+P6H+WmoFlPP0ZXs/8cDv/+kGDoR//l4RAfz4KV/8jJ9JVdfoUJufuuPVfcpkw")

  /// The same in 4:4:4.
  static let quartersFull = CodedPicture(
    "AQQIAAAAnjgAAAAAHvAA/P/4+AAADwNgAAEAF0ABDAH//wQIAAADAJ44AAADAAAeugJAYQABACpCAQEECAAAAwCeOAAAAwAAHpAE"
      + "ECCy3UklNc3AQ0GBAAADABkAAAMAAQhiAAEACEQBwXKGDAIk",
    "AAAAPCgBrwngITl1X//8UD///GI3IfwcVWeefoyvZ/44Hf/9IMHCf/5eEQH8+Clf/IyfMj//CcU6fXGki+5TJg==")

  /// The same in 4:2:0 of 10 bits.
  static let quartersTenBits = CodedPicture(
    "AQQIAAAAnbgAAAAAHvAA/P36+gAADwNgAAEAF0ABDAH//wQIAAADAJ24AAADAAAeugJAYQABAClCAQEECAAAAwCduAAAAwAAHqAg"
      + "gQTZbqSSmubgIaDAgAAADIAAAAMAhGIAAQAHRAHBcrAiQA==",
    "AAAAPCgBrwngITl7z//9TV///SUfIfzf/5Tcf4zp3/9CZf/+7rC7//9iqID+yiCv/orZDssfvFOb/Ta0/4yP8A==")

  /// Orange, in 4:2:0.
  static let orange = CodedPicture(
    "AQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQGEAAQArQgEBA3AAAAMAkAAAAwAAAwAe"
      + "oCCBBZbqSSmubgIaDAgAAAMAyAAAAwAIQGIAAQAHRAHBcrAiQA==",
    "AAAAGigBrwngITl1X1/8m9///mC7yH4vDnQcw9fg")

  /// The same, whose parameters state the curve of television, with the primaries of sRGB.
  static let orangeOfTelevision = CodedPicture(
    "AQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQGEAAQArQgEBA3AAAAMAkAAAAwAAAwAe"
      + "oCCBBZbqSSmubgIMDAgAAAMAyAAAAwAIQGIAAQAHRAHBcrAiQA==",
    "AAAAGigBrwngITl1X1/8m9///mC7yH4vDnQcw9fg")

  /// The same, whose parameters state the curve and the primaries of old television.
  static let orangeOfOldTelevision = CodedPicture(
    "AQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQGEAAQArQgEBA3AAAAMAkAAAAwAAAwAe"
      + "oCCBBZbqSSmubgwMDAgAAAMAyAAAAwAIQGIAAQAHRAHBcrAiQA==",
    "AAAAGigBrwngITl1X1/8m9///mC7yH4vDnQcw9fg")

  /// The same, whose parameters state PQ with the primaries of BT.2020.
  static let orangeOfHighRange = CodedPicture(
    "AQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQGEAAQArQgEBA3AAAAMAkAAAAwAAAwAe"
      + "oCCBBZbqSSmubhIgEggAAAMAyAAAAwAIQGIAAQAHRAHBcrAiQA==",
    "AAAAGigBrwngITl1X1/8m9///mC7yH4vDnQcw9fg")

  /// Grey: black on the left, and white on the right.
  static let halves = CodedPicture(
    "AQQIAAAAn/gAAAAAHvAA/Pz4+AAADwNgAAEAF0ABDAH//wQIAAADAJ/4AAADAAAeugJAYQABACZCAQEECAAAAwCf+AAAAwAAHsCC"
      + "BBZbqSSmubAgAAADAyAAAAMAIWIAAQAHRAHBcrAiQA==",
    "AAAAGSgBrhPAO4jr///uierk8/1VTVLx//x8/+A=")
}
