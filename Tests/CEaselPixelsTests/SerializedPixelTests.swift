import Testing

/// The level of vector instructions is global to the process, so tests that set it run one after another.
@Suite(.serialized) struct SerializedPixelTests {}
