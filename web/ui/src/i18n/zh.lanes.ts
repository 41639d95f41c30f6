import type { lanesEn } from "./en.lanes";

export const lanesZh: Record<keyof typeof lanesEn, string> = {
  "lanes.role": "时间线",
  "lanes.keys":
    "方向键在时间条之间移动，Page Up 和 Page Down 移动十二行，Home 和 End 到本行首尾。回车打开，空格选中。加号、减号和 0 缩放。",
};
